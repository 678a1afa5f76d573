/// What a log has done when a write returns.
///
/// With every durability, a process that is killed loses no write that returned, and a log opens
/// consistently after a power cut.
public enum Durability: Hashable, Sendable {
  /// The disk has the write: a power cut loses nothing.
  case full
  /// The system has the write, and the disk has it soon.
  ///
  /// A power cut loses writes of at most this time: a sync starts at the latest that long after a
  /// write, and when the log is closed. If a sync fails, every later write fails.
  case relaxed(within: Duration)
}
