extension Schedule {
  /// The conditions that suppress an occurrence.
  ///
  /// A set: any of its members is sufficient.
  public struct Condition: OptionSet, Hashable, Sendable {
    /// The raw value.
    public let rawValue: UInt32

    /// Creates a value from a raw value.
    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// No condition suppresses the occurrence.
    public static let none: Schedule.Condition = []
    /// The habit is done on the due date.
    public static let done = Schedule.Condition(rawValue: 1)
    /// The habit is done on the due date, or its quota is met in the period of the due date.
    public static let quota = Schedule.Condition(rawValue: 2)
    /// There is an entry for the due date, even an amount below the target, or the date is marked
    /// "no".
    public static let entry = Schedule.Condition(rawValue: 4)
  }
}

extension Schedule.Condition: NamedOptions {
  package static var named: [(name: String, option: Schedule.Condition)] {
    [("done", .done), ("quota", .quota), ("entry", .entry)]
  }
}

/// The number of completions that are enough in a period.
///
/// A completion is a distinct date that is done. For a period of one day, the sum of the amounts
/// counts instead.
public struct Quota: Hashable, Sendable, TextCodable {
  /// The dates that count together with a due date.
  public enum Period: Hashable, Sendable {
    /// The due date itself.
    case day
    /// The ISO week of the due date, which starts on Monday.
    case week
    /// The calendar month of the due date.
    case month
    /// The due date and the dates before it, 1...366 days in total.
    case rolling(days: Int)
  }

  /// The number of completions, 1...1000.
  public let count: Int
  /// The dates that count together.
  public let period: Period

  /// Creates a quota, or returns nil if a number is out of range.
  public init?(count: Int, per period: Period) {
    guard Self.counts.contains(count) else { return nil }
    if case .rolling(let days) = period, !Self.lengths.contains(days) { return nil }
    self.count = count
    self.period = period
  }

  /// The valid numbers of completions.
  package static let counts = 1...1_000
  /// The valid numbers of rolling days.
  package static let lengths = 1...366

  /// Parses `3/day`, `3/week`, `3/month` or, for rolling days, `3/5d`, or returns nil if the text
  /// is not a quota.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(digits: parts[0]) else { return nil }
    switch parts[1] {
    case "day": self.init(count: count, per: .day)
    case "week": self.init(count: count, per: .week)
    case "month": self.init(count: count, per: .month)
    default:
      guard parts[1].hasSuffix("d"), let days = Int(digits: parts[1].dropLast()) else {
        return nil
      }
      self.init(count: count, per: .rolling(days: days))
    }
  }

  /// The text form: `3/day`, `3/week`, `3/month` or `3/5d`.
  public var description: String {
    switch period {
    case .day: "\(count)/day"
    case .week: "\(count)/week"
    case .month: "\(count)/month"
    case .rolling(let days): "\(count)/\(days)d"
    }
  }
}

/// The treatment of a notification that would fire in quiet hours.
public enum QuietPolicy: String, Hashable, Sendable, CaseIterable {
  /// The notification fires when quiet hours end, at most one per habit.
  case deferred = "defer"
  /// The notification is delivered without sound or light.
  case silent
  /// The notification is not delivered.
  case drop
  /// The notification fires at its time.
  case fire
}
