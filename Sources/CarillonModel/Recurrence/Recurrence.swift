/// Dates or date-times that recur, as RFC 5545 writes them: DTSTART, RRULE, RDATE and EXDATE.
///
/// The instances are those of the rule and the additions, without the exceptions; where there is no
/// rule, the start is one of them. All are civil: a date-time is what the clock of the zone shows,
/// or of the device where there is no zone. Instances on a date that a zone leaves out count like
/// others.
///
/// A start that does not match its rule is no instance, though RFC 5545 leaves that undefined and
/// some programs show it.
///
/// - Source: RFC 5545, sections 3.3.10, 3.8.2.4, 3.8.5; without what ``init(parsing:start:)``
///   refuses.
public struct Recurrence: Hashable, Sendable {
  /// A date, or a date with a time.
  public enum Moment: Hashable, Sendable {
    /// The whole date.
    case date(CivilDate)
    /// A minute of a date.
    case dateTime(CivilDateTime)
  }

  /// DTSTART: before it the rule has no instance, and from it come weekday, day, month and time
  /// where the rule names none.
  public let start: Moment
  /// TZID of the start, or `UTC` where the start is written with `Z`; nil for the device's zone.
  ///
  /// 1 to 64 bytes. Whether there is such a zone is not checked.
  public let zone: String?
  /// RRULE, or nil where the instances are the start and the additions.
  public let rule: RecurrenceRule?
  /// RDATE: ascending, distinct, dates if the start is one.
  public let additions: [Moment]
  /// EXDATE: ascending, distinct, dates if the start is one; a date takes all instances on it.
  public let exceptions: [Moment]

  /// The parts, in any order; the parser has checked them.
  init(
    start: Moment, zone: String?, rule: RecurrenceRule?, additions: [Moment], exceptions: [Moment]
  ) {
    self.start = start
    self.zone = zone
    self.rule = rule
    self.additions = Set(additions).sorted()
    self.exceptions = Set(exceptions).sorted()
  }

  /// The starts, additions and exceptions that are accepted: 1800-01-01 to 2200-12-31.
  ///
  /// A birthday may lie before the dates that people may give elsewhere. There is no instance after
  /// the last.
  public static let accepted = CivilDate(rawValue: -62_091)...CivilDate.accepted.upperBound

  /// The most bytes of a text, as it came and as ``description`` writes it.
  public static let maxByteCount = 8_192

  /// The most additions and exceptions together.
  public static let maxDateCount = 400

  /// Whether the instances are dates, to which a schedule brings the times.
  public var isDateOnly: Bool {
    if case .date = start { true } else { false }
  }

  /// Whether there is a last instance: a rule with COUNT or UNTIL, or no rule.
  public var hasEnd: Bool { rule?.end != .never }

  /// The date before which there is no instance.
  public var firstDate: CivilDate { min(start, additions.first ?? start).date }

  /// The times that instances may have, ascending; none where the instances are dates.
  public var times: [TimeOfDay] {
    if isDateOnly { return [] }
    let added = rule == nil ? [start] + additions : additions
    let fromRule = rule.map { $0.times(startingAt: start.dateTime.time) } ?? []
    return Set(fromRule + added.map(\.dateTime.time)).sorted()
  }

  /// The instances from a moment on, ascending and distinct; dates are at 00:00.
  ///
  /// - Complexity: O(1) to the first, however old the start is, but for a rule with COUNT and
  ///   without a steady rhythm: there the periods are counted once. At most 10,000 periods without
  ///   an instance are looked at, then the sequence ends.
  public func instances(from moment: CivilDateTime) -> RecurrenceInstances {
    RecurrenceInstances(RecurrenceExpansion(of: self), from: moment)
  }
}

extension Recurrence.Moment: Comparable {
  /// The date.
  public var date: CivilDate { dateTime.date }

  /// The date with its time; 00:00 for a whole date.
  public var dateTime: CivilDateTime {
    switch self {
    case .date(let date): CivilDateTime(date: date, time: .midnight)
    case .dateTime(let dateTime): dateTime
    }
  }

  /// Compares the dates and times; a whole date stands before its minutes.
  public static func < (left: Self, right: Self) -> Bool {
    if left.dateTime != right.dateTime { return left.dateTime < right.dateTime }
    if case (.date, .dateTime) = (left, right) { return true }
    return false
  }
}
