/// A snooze of one occurrence.
///
/// An LWW register per occurrence. A snooze has no effect if its schedule no longer has that date
/// and time, or if ``until`` is at or after the schedule's next occurrence.
public struct Snooze: Hashable, Sendable {
  /// The schedule of the snoozed occurrence.
  public var schedule: ScheduleID
  /// The civil date and time that identify the occurrence.
  public var nominal: CivilDateTime
  /// The number of the repeat in a ``Schedule/Relative`` schedule, otherwise 0.
  package var number: Int
  /// The instant at which the occurrence fires instead.
  ///
  /// Nil cancels the snooze.
  public var until: Instant?
  /// Whether the occurrence also fires in quiet hours.
  package var ignoresQuietHours: Bool
  /// The event that set the snooze; nil before it is written.
  ///
  /// The snooze has no effect if the occurrence's date is done and has a later recording.
  package var event: EventID?

  /// Creates a value from its parts.
  package init(
    schedule: ScheduleID, nominal: CivilDateTime, number: Int = 0, until: Instant?,
    ignoresQuietHours: Bool = false, event: EventID? = nil
  ) {
    self.schedule = schedule
    self.nominal = nominal
    self.number = number
    self.until = until
    self.ignoresQuietHours = ignoresQuietHours
    self.event = event
  }
}
