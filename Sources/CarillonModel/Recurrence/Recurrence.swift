/// Recurring dates or dates with times, as defined by RFC 5545: DTSTART, RRULE, RDATE and EXDATE.
///
/// The instances are those of the rule and the additions, without the exceptions; if there is no
/// rule, the start is one of them. All are civil times: in the recurrence's zone, or in the
/// device's zone if the recurrence has none. Instances on a date that a zone skips count like
/// others.
///
/// A start that does not match its rule is not an instance, although RFC 5545 leaves this undefined
/// and some programs show it.
///
/// - Source: RFC 5545, sections 3.3.10, 3.8.2.4, 3.8.5; without what ``init(parsing:start:)``
///   rejects.
public struct Recurrence: Hashable, Sendable {
  /// A date, or a date with a time.
  package enum Moment: Hashable, Sendable {
    /// A whole date.
    case date(CivilDate)
    /// A minute of a date.
    case dateTime(CivilDateTime)
  }

  /// DTSTART: no instance of the rule comes before it.
  ///
  /// It also supplies the weekday, day, month and time that the rule does not specify.
  package let start: Moment
  /// TZID of the start, or `UTC` if the start is written with `Z`; nil for the device's zone.
  ///
  /// 1 to 64 bytes. It is not checked whether such a zone exists.
  package let zone: String?
  /// RRULE; nil if the instances are the start and the additions.
  package let rule: RecurrenceRule?
  /// RDATE: ascending and distinct; dates if the start is a date.
  package let additions: [Moment]
  /// EXDATE: ascending and distinct; dates if the start is a date.
  ///
  /// A date excludes all instances on it.
  package let exceptions: [Moment]

  /// Creates a recurrence from parts that the parser has checked; lists may be in any order.
  init(
    start: Moment, zone: String?, rule: RecurrenceRule?, additions: [Moment], exceptions: [Moment]
  ) {
    self.start = start
    self.zone = zone
    self.rule = rule
    self.additions = Set(additions).sorted()
    self.exceptions = Set(exceptions).sorted()
  }

  /// The accepted starts, additions and exceptions: 1800-01-01 to 2200-12-31.
  ///
  /// This range begins earlier than other dates that users enter, because of birthdays. There is no
  /// instance after its last date.
  package static let accepted = CivilDate(rawValue: -62_091)...CivilDate.accepted.upperBound

  /// The maximum size of a text in bytes, both as parsed and as ``description`` returns it.
  package static let maxByteCount = 8_192

  /// The maximum number of additions and exceptions together.
  package static let maxDateCount = 400

  /// Whether the instances are dates, for which a schedule supplies the times.
  package var isDateOnly: Bool {
    if case .date = start { true } else { false }
  }

  /// Whether there is a last instance: the rule has COUNT or UNTIL, or there is no rule.
  package var hasEnd: Bool { rule?.end != .never }

  /// The date before which there is no instance.
  package var firstDate: CivilDate { min(start, additions.first ?? start).date }

  /// The times that instances can have, ascending; empty if the instances are dates.
  package var times: [TimeOfDay] {
    if isDateOnly { return [] }
    let added = rule == nil ? [start] + additions : additions
    let fromRule = rule.map { $0.times(startingAt: start.dateTime.time) } ?? []
    return Set(fromRule + added.map(\.dateTime.time)).sorted()
  }

  /// Returns the instances from a moment on, ascending and distinct; whole dates are at 00:00.
  ///
  /// The sequence ends after 10,000 consecutive periods without an instance.
  ///
  /// - Complexity: O(1) to the first instance, however old the start is; except for a rule with
  ///   COUNT whose periods have varying numbers of instances: those periods are counted once.
  package func instances(from moment: CivilDateTime) -> RecurrenceInstances {
    RecurrenceInstances(RecurrenceExpansion(of: self), from: moment)
  }
}

extension Recurrence.Moment: Comparable {
  /// The date of the moment.
  package var date: CivilDate { dateTime.date }

  /// The date with its time; 00:00 for a whole date.
  package var dateTime: CivilDateTime {
    switch self {
    case .date(let date): CivilDateTime(date: date, time: .midnight)
    case .dateTime(let dateTime): dateTime
    }
  }

  /// Compares the dates and times; a whole date comes before its minutes.
  package static func < (left: Self, right: Self) -> Bool {
    if left.dateTime != right.dateTime { return left.dateTime < right.dateTime }
    if case (.date, .dateTime) = (left, right) { return true }
    return false
  }
}
