/// How far a notification came on one device; a later case is shown in place of an earlier one.
public enum ReceiptState: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Given to the system, which will show it.
  case submitted
  /// Shown, as far as the system tells.
  case delivered
  /// Taken back from the screen, since it no longer held.
  case expired
  /// Put away by the person.
  case dismissed
  /// The person opened the app with it.
  case opened
  /// The person answered it.
  case acted

  /// Compares by the order of the cases.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  /// The place in that order, from 1.
  package var rank: Int64 {
    switch self {
    case .submitted: 1
    case .delivered: 2
    case .expired: 3
    case .dismissed: 4
    case .opened: 5
    case .acted: 6
    }
  }

  /// The state at a place of the order, or nil for none.
  package init?(rank: Int64) {
    guard let state = Self.allCases.first(where: { $0.rank == rank }) else { return nil }
    self = state
  }
}
