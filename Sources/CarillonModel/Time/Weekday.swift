/// A day of the week, Monday first as in ISO 8601.
public enum Weekday: UInt8, CaseIterable, Hashable, Comparable, Sendable {
  case monday = 1
  case tuesday, wednesday, thursday, friday, saturday, sunday

  /// Compares the values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// `mon`, `tue` and so on, as the command line and the JSON write it.
  public var abbreviation: String { String(String(describing: self).prefix(3)) }

  /// Parses the three letters, in either case.
  public init?(abbreviation: String) {
    let wanted = abbreviation.lowercased()
    guard let day = Self.allCases.first(where: { $0.abbreviation == wanted }) else { return nil }
    self = day
  }
}
