/// A reminder that the person put off.
///
/// An LWW register per occurrence. It lapses when its schedule no longer has that date and time,
/// and where ``until`` is at or after the next occurrence of the schedule.
public struct Snooze: Hashable, Sendable {
  /// The schedule whose occurrence it moves.
  public var schedule: ScheduleID
  /// The civil date and time by which the occurrence is named.
  public var nominal: CivilDateTime
  /// The number of the repeat, of a ``Relative`` schedule; else 0.
  public var number: Int
  /// When it fires instead; nil takes the snooze back.
  public var until: Instant?
  /// Whether it fires in quiet hours too.
  public var ignoresQuietHours: Bool

  /// Makes a value of its parts.
  public init(
    schedule: ScheduleID, nominal: CivilDateTime, number: Int = 0, until: Instant?,
    ignoresQuietHours: Bool = false
  ) {
    self.schedule = schedule
    self.nominal = nominal
    self.number = number
    self.until = until
    self.ignoresQuietHours = ignoresQuietHours
  }
}
