/// What keeps a reminder silent.
///
/// A set: any of its members suffices.
public struct Condition: OptionSet, Hashable, Sendable {
  /// The value itself.
  public let rawValue: UInt32

  /// Takes the value as it is.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Nothing keeps it silent.
  public static let none: Condition = []
  /// The habit is done on the due date.
  public static let done = Condition(rawValue: 1)
  /// The habit is done on the due date, or was done often enough in the due date's period.
  public static let quota = Condition(rawValue: 2)
  /// Anything was entered for the due date: an amount below the target, or an explicit "no".
  public static let entry = Condition(rawValue: 4)
}

extension Condition: NamedOptions {
  package static var named: [(name: String, option: Condition)] {
    [("done", .done), ("quota", .quota), ("entry", .entry)]
  }
}

/// How often is enough in a period.
///
/// A completion is a distinct date that is done; for a period of one day it is the sum of the
/// amounts.
public struct Quota: Hashable, Sendable, TextCodable {
  /// The dates that count together with a due date.
  public enum Period: Hashable, Sendable {
    /// The due date itself.
    case day
    /// Its ISO week, from Monday on.
    case week
    /// Its calendar month.
    case month
    /// The due date and those before it, so many in all; 1...366.
    case rolling(days: Int)
  }

  /// 1...1000.
  public let count: Int
  /// The dates that count together.
  public let period: Period

  /// Makes a quota, or nil where a number is out of range.
  public init?(count: Int, per period: Period) {
    guard (1...1000).contains(count) else { return nil }
    if case .rolling(let days) = period, !(1...366).contains(days) { return nil }
    self.count = count
    self.period = period
  }

  /// Parses `3/day`, `3/week`, `3/month` or, for rolling days, `3/5d`.
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

  /// `3/day`, `3/week`, `3/month` or `3/5d`.
  public var description: String {
    switch period {
    case .day: "\(count)/day"
    case .week: "\(count)/week"
    case .month: "\(count)/month"
    case .rolling(let days): "\(count)/\(days)d"
    }
  }
}

/// What becomes of a reminder that would fire in quiet hours.
public enum QuietPolicy: String, Hashable, Sendable, CaseIterable {
  /// It fires when they end, at most one for a habit.
  case deferred = "defer"
  /// It is shown without sound or light.
  case silent
  /// It is not shown.
  case drop
}
