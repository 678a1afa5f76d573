/// What becomes of an occurrence, and why: the first that applies, in this order.
public enum Reason: String, Hashable, Sendable, CaseIterable {
  /// The habit is deleted.
  case deleted
  /// The habit is archived.
  case archived
  /// A pause of the habit or of all covers the due date.
  case paused
  /// The due date is before the habit's start.
  case beforeStart
  /// The due date is after the habit's end.
  case afterEnd
  /// The due date is marked to be skipped, and not done.
  case skipped
  /// The habit is done on the due date, and the schedule is silent then.
  case done
  /// It was done often enough in the due date's period.
  case quotaMet
  /// Something was entered for the due date, and the schedule is silent then.
  case anyEntry
  /// Nobody used the app for longer than the schedule allows.
  case inactive
  /// It was shown on some device, or must have been.
  case shown
  /// It would fire in quiet hours, and the schedule drops it there, or another request stands for
  /// it.
  case quietHours
  /// It has fired, or would have.
  case past
  /// Another device reminds of it.
  case otherDevice
  /// It fires after the horizon's end.
  case beyondHorizon
  /// Sooner requests fill the capacity.
  case overCapacity
  /// A request of the plan stands for it.
  case planned
}
