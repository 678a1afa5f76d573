/// Recurring dates or dates with times, as defined by RFC 5545: DTSTART, RRULE, RDATE and EXDATE,
/// and EXRULE of RFC 2445.
///
/// The instances are those of any rule and the additions, without the exceptions and without those
/// of an excluded rule; if there is no rule, the start is one of them. All are civil times: in the
/// recurrence's zone, or in the device's zone if the recurrence has none. Instances on a date that
/// a zone skips count like others.
///
/// A start that does not match a rule is not an instance, although RFC 5545 leaves this undefined
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
  /// RRULE: distinct, in the order of their texts; empty if the instances are the start and the
  /// additions.
  package let rules: [RecurrenceRule]
  /// EXRULE: distinct, in the order of their texts.
  ///
  /// An instance of any of them is not an instance of the recurrence.
  package let excludedRules: [RecurrenceRule]
  /// RDATE: ascending and distinct; dates if the start is a date.
  package let additions: [Moment]
  /// EXDATE: ascending and distinct; dates if the start is a date.
  ///
  /// A date excludes all instances on it.
  package let exceptions: [Moment]

  /// Creates a recurrence from parts that the parser has checked; lists may be in any order.
  init(
    start: Moment, zone: String?, rules: [RecurrenceRule], excludedRules: [RecurrenceRule] = [],
    additions: [Moment], exceptions: [Moment]
  ) {
    self.start = start
    self.zone = zone
    self.rules = Self.ordered(rules)
    self.excludedRules = Self.ordered(excludedRules)
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

  /// The maximum number of rules and excluded rules together.
  package static let maxRuleCount = 16

  private static func ordered(_ rules: [RecurrenceRule]) -> [RecurrenceRule] {
    rules.count < 2 ? rules : Set(rules).sorted { $0.description < $1.description }
  }

  /// Whether the instances are dates, for which a schedule supplies the times.
  package var isDateOnly: Bool {
    if case .date = start { true } else { false }
  }

  /// Whether there is a last instance: every rule has COUNT or UNTIL, or there is no rule.
  package var hasEnd: Bool { !rules.contains { $0.end == .never } }

  /// The rule, if it alone determines the instances.
  package var onlyRule: RecurrenceRule? {
    rules.count == 1 && excludedRules.isEmpty && additions.isEmpty && exceptions.isEmpty
      ? rules[0] : nil
  }

  /// The date before which there is no instance.
  package var firstDate: CivilDate { min(start, additions.first ?? start).date }

  /// The times that instances can have, ascending; empty if the instances are dates.
  package var times: [TimeOfDay] {
    if isDateOnly { return [] }
    let added = rules.isEmpty ? [start] + additions : additions
    let fromRules = rules.flatMap { $0.times(startingAt: start.dateTime.time) }
    return Set(fromRules + added.map(\.dateTime.time)).sorted()
  }

  /// Returns the instances from a moment on, ascending and distinct; whole dates are at 00:00.
  ///
  /// The sequence ends after 10,000 consecutive periods without an instance, or 10,000 consecutive
  /// instances of excluded rules. A period of HOURLY and MINUTELY is one date here.
  ///
  /// - Parameter last: The last date; nil for all. A rule without an instance is not searched
  ///   beyond it.
  /// - Complexity: O(1) to the first instance, however old the start is; except for a rule with
  ///   COUNT whose periods have varying numbers of instances: those periods are counted once.
  package func instances(
    from moment: CivilDateTime, through last: CivilDate? = nil
  ) -> RecurrenceInstances {
    RecurrenceInstances(RecurrenceExpansion(of: self, through: last), from: moment)
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
