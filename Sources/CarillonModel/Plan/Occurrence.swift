/// One occurrence of a schedule, with the instant at which it fires unless something moves it.
struct Occurrence: Hashable {
  /// The civil date and time that name it; of an interval those of UTC.
  let identity: CivilDateTime
  /// The number of the repeat of a relative schedule, else 0.
  let number: Int
  /// After the gap rule, before snoozes and quiet hours.
  let instant: Instant
  /// The date that done, skip and pause are looked up by.
  let due: CivilDate

  /// The revision under which it is shown unless it is snoozed.
  var revision: String { number == 0 ? ReceiptSubject.firstRevision : "r\(number)" }

  /// Whether it fires before another one of the same schedule, or counts as doing so.
  func precedes(_ other: Occurrence) -> Bool {
    (instant, identity, number) < (other.instant, other.identity, other.number)
  }
}

/// An occurrence with the revision in which it is shown: what receipts name.
public struct OccurrenceID: Hashable, Sendable {
  /// The habit.
  public let habit: HabitID
  /// Its schedule.
  public let schedule: ScheduleID
  /// The civil date and time by which the occurrence is named; of an interval those of UTC.
  public let nominal: CivilDateTime
  /// `0`; `r1`, `r2` and so on for the repeats of a ``Relative`` schedule; of a snoozed one the
  /// milliseconds until which it is snoozed.
  public let revision: String

  /// Makes a value of its parts.
  public init(
    habit: HabitID, schedule: ScheduleID, nominal: CivilDateTime,
    revision: String = ReceiptSubject.firstRevision
  ) {
    self.habit = habit
    self.schedule = schedule
    self.nominal = nominal
    self.revision = revision
  }

  /// The occurrence as a receipt names it.
  public var subject: ReceiptSubject {
    .occurrence(habit: habit, schedule: schedule, nominal: nominal)
  }
}
