/// The identity of one occurrence in one revision, as plans, receipts and responses record it.
public struct OccurrenceID: Hashable, Sendable {
  /// What distinguishes the notifications of one occurrence.
  ///
  /// Its text is `0`; `r1`, `r2` and so on for repeats; for a snoozed occurrence, the end of the
  /// snooze in milliseconds since 1970.
  public enum Revision: Hashable, Sendable {
    /// The occurrence at its own time.
    case first
    /// A repeat of a ``Schedule/Relative`` schedule, counted from 1.
    case `repeat`(Int)
    /// The occurrence, or a repeat of it, at the end of a snooze.
    case snoozed(until: Instant)
    /// A text that this build does not know.
    case unknown(String)

    /// Creates the revision with a text.
    package init(_ text: String) {
      if text == "0" {
        self = .first
      } else if text.utf8.first == UInt8(ascii: "r"), let number = Int(digits: text.dropFirst()),
        number > 0, text == "r\(number)"
      {
        self = .repeat(number)
      } else if let milliseconds = Int64(text), text == String(milliseconds) {
        self = .snoozed(until: Instant(milliseconds: milliseconds))
      } else {
        self = .unknown(text)
      }
    }

    /// The text of the revision.
    package var text: String {
      switch self {
      case .first: "0"
      case .repeat(let number): "r\(number)"
      case .snoozed(let until): String(until.milliseconds)
      case .unknown(let text): text
      }
    }
  }

  /// The habit.
  public package(set) var habit: HabitID
  /// The habit's schedule.
  public package(set) var schedule: ScheduleID
  /// The civil date and time of the occurrence.
  ///
  /// For an interval, these are in UTC.
  public package(set) var nominal: CivilDateTime
  /// The revision.
  public package(set) var revision: Revision

  /// Creates a value from its parts.
  package init(
    habit: HabitID, schedule: ScheduleID, nominal: CivilDateTime, revision: Revision = .first
  ) {
    self.habit = habit
    self.schedule = schedule
    self.nominal = nominal
    self.revision = revision
  }

  /// The number of the repeat that the revision names, otherwise 0.
  package var number: Int { if case .repeat(let number) = revision { number } else { 0 } }

  /// The ID of the occurrence's own request.
  ///
  /// The revision of a snoozed repeat does not name the repeat, so the result is then the ID of the
  /// occurrence itself.
  package var requestID: RequestID {
    RequestID(habit: habit, schedule: schedule, nominal: nominal, number: number)
  }

  /// Returns the occurrence in another revision.
  package func revised(_ revision: Revision) -> OccurrenceID {
    OccurrenceID(habit: habit, schedule: schedule, nominal: nominal, revision: revision)
  }
}
