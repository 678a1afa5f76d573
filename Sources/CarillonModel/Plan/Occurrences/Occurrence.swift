/// One occurrence of a schedule, with the instant at which it fires unless something moves it.
struct Occurrence: Hashable {
  /// The civil date and time that identify the occurrence.
  ///
  /// For an interval, these are in UTC.
  let identity: CivilDateTime
  /// The number of the repeat in a relative schedule, otherwise 0.
  let number: Int
  /// The instant after the gap rule, before snoozes and quiet hours.
  let instant: Instant
  /// The date used to look up completions, skips and pauses.
  let due: CivilDate

  /// The revision under which the occurrence is delivered unless it is snoozed.
  var revision: String { number == 0 ? ReceiptSubject.firstRevision : "r\(number)" }

  /// Whether this occurrence sorts before another one of the same schedule: by instant, then by
  /// identity and number.
  func precedes(_ other: Occurrence) -> Bool {
    (instant, identity, number) < (other.instant, other.identity, other.number)
  }
}

/// The identity of an occurrence and its revision, as receipts record it.
public struct OccurrenceID: Hashable, Sendable {
  /// The habit.
  public let habit: HabitID
  /// The habit's schedule.
  public let schedule: ScheduleID
  /// The civil date and time that identify the occurrence.
  ///
  /// For an interval, these are in UTC.
  public let nominal: CivilDateTime
  /// The revision: `0`; `r1`, `r2` and so on for the repeats of a ``Schedule/Relative`` schedule;
  /// for a snoozed occurrence, the end of the snooze in milliseconds.
  package let revision: String

  /// Creates a value from its parts.
  package init(
    habit: HabitID, schedule: ScheduleID, nominal: CivilDateTime,
    revision: String = ReceiptSubject.firstRevision
  ) {
    self.habit = habit
    self.schedule = schedule
    self.nominal = nominal
    self.revision = revision
  }

  /// The receipt subject of this occurrence.
  package var subject: ReceiptSubject {
    .occurrence(habit: habit, schedule: schedule, nominal: nominal)
  }
}
