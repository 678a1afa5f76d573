extension Explanation {
  /// The reason why an occurrence is planned or not: the first that applies, in this order.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The habit is deleted.
    case deleted
    /// The habit is archived.
    case archived
    /// A pause of the habit, or of all habits, covers the due date.
    case paused
    /// The due date is before the habit's start, or the occurrence is before the schedule existed.
    case beforeStart
    /// The due date is after the habit's end.
    case afterEnd
    /// The due date is marked as skipped and is not done.
    case skipped
    /// The habit is done on the due date, or was done recently, and the schedule's condition
    /// suppresses the occurrence.
    case done
    /// The schedule's quota is met in the period of the due date.
    case quotaMet
    /// There is an entry for the due date, and the schedule's condition suppresses the occurrence.
    case anyEntry
    /// The app has not been used for longer than the schedule allows.
    case inactive
    /// The occurrence was delivered on some device, or is presumed to have been delivered.
    case delivered
    /// The occurrence would fire in quiet hours, and either the schedule drops it or another
    /// request represents it.
    case quietHours
    /// The time of the occurrence has passed, and no device recorded what happened to it.
    case past
    /// Another device delivers the habit's notifications.
    case otherDevice
    /// No device in use may deliver the habit's notifications.
    case noDevice
    /// The occurrence fires after the end of the horizon.
    case beyondHorizon
    /// Other requests fill the capacity.
    case overCapacity
    /// A request of the plan represents the occurrence.
    case planned
  }
}
