/// What happens to one occurrence, and why.
public struct Explanation: Hashable, Sendable {
  /// The occurrence's schedule.
  public let schedule: ScheduleID
  /// The civil date and time of the occurrence.
  ///
  /// For an interval, as the clock in the schedule's zone shows it. For a place, the first minute
  /// of the date.
  public let nominal: CivilDateTime
  /// The number of the repeat that the occurrence is; 0 for the first.
  package let number: Int
  /// The date used to look up completions, skips and pauses.
  package let due: CivilDate
  /// The first reason that applies.
  public let reason: Explanation.Reason
  /// The ID of the request that represents the occurrence if it is planned, otherwise the ID that
  /// its own request would have.
  public let id: RequestID
  /// The instant at which the occurrence fires or would fire, after snoozes, quiet hours and
  /// digests; for a past occurrence, the instant of its recorded delivery.
  ///
  /// Nil for a place, and for a past occurrence without a recorded delivery.
  public let fireAt: Instant?
  /// The values behind the reason.
  package let detail: Detail
  /// Whether the time of the occurrence has passed.
  package let isPast: Bool
  /// The recorded delivery before a snooze delivered the occurrence again, or will; else nil.
  package var earlier: Delivery?
  /// The end of a snooze of a delivered occurrence that no device recorded to have fired, or nil.
  package var unrecordedSnooze: Instant?
  /// The end of a snooze of a delivered occurrence that a pause ends, or nil.
  package var pausedSnooze: Instant?
  /// `done` or `skipped` if that is recorded for the due date of a delivered occurrence, else nil.
  package var dateReason: Reason?
}

extension Explanation.Reason {
  /// Whether the reason lets the occurrence fire, on this device or on another one.
  package var fires: Bool { [.planned, .beyondHorizon, .otherDevice].contains(self) }

  /// Whether the reason follows from what the person recorded for the due date.
  var isOfDate: Bool {
    switch self {
    case .paused, .beforeStart, .afterEnd, .skipped, .done, .quotaMet, .anyEntry: true
    default: false
    }
  }
}
