/// The delivery state of a notification on one device.
///
/// A later case replaces an earlier one.
public enum ReceiptState: String, Hashable, Sendable, CaseIterable, Comparable {
  /// The notification was submitted to the system, which will deliver it.
  case submitted
  /// The system delivered the notification, as far as it reports.
  case delivered
  /// The notification was removed from the screen because it no longer applied.
  case expired
  /// The person dismissed the notification.
  case dismissed
  /// The person opened the app with the notification.
  case opened
  /// The person answered the notification.
  case acted

  /// Compares states by the order of the cases.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  /// The position in that order, starting with 1.
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

  /// Creates the state at a position in the order, or returns nil if there is none.
  package init?(rank: Int64) {
    guard let state = Self.allCases.first(where: { $0.rank == rank }) else { return nil }
    self = state
  }
}
