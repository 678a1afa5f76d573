/// A day of the week, Monday first as in ISO 8601.
public enum Weekday: UInt8, CaseIterable, Hashable, Comparable, Sendable {
  case monday = 1
  case tuesday, wednesday, thursday, friday, saturday, sunday

  /// Compares the days, Monday first.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The day's three letters, such as `mon`, as used on the command line and in JSON.
  package var abbreviation: String { Self.abbreviations[Int(rawValue) - 1] }

  private static let abbreviations = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// Parses three letters, in either case.
  package init?(abbreviation: String) {
    let wanted = abbreviation.lowercased()
    guard let day = Self.allCases.first(where: { $0.abbreviation == wanted }) else { return nil }
    self = day
  }
}
