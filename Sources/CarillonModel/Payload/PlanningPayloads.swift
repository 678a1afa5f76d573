/// Puts a reminder off, or takes that back.
///
/// A register per (habit, slot, nominal date and time, number).
public struct SnoozeSet: Hashable, Sendable {
  /// The slot's habit.
  public var habit: HabitID
  /// Which occurrence, and until when.
  public var snooze: Snooze

  /// Makes a value of its parts.
  public init(habit: HabitID, snooze: Snooze) {
    self.habit = habit
    self.snooze = snooze
  }
}

/// A difference of the plan was given to the writing device's system.
///
/// An own register: the greatest event ID of a replica holds.
public struct PlanSubmitted: Hashable, Sendable {
  /// How many requests were added; 0...10,000.
  public var added: Int
  /// How many were removed; 0...1,000,000.
  public var removed: Int
  /// How many the system refused; 0...10,000.
  public var failed: Int
  /// SHA-256 of the request ids that were wanted then, ascending, joined by LF; 32 bytes.
  public var idsDigest: [UInt8]
  /// Until when nothing is missing; nil where nothing is covered.
  public var coverageUntil: Instant?
  /// How many were not taken, by civil dates; 0...1,000, which means 1,000 or more.
  public var dropped: Int
  /// How many requests the system keeps; 0...10,000.
  public var capacity: Int
  /// When; nil where that is the event's own millisecond, and then not written.
  public var at: Instant?

  /// Makes a value of its parts.
  public init(
    added: Int, removed: Int, failed: Int = 0, idsDigest: [UInt8], coverageUntil: Instant?,
    dropped: Int, capacity: Int, at: Instant? = nil
  ) {
    self.added = added
    self.removed = removed
    self.failed = failed
    self.idsDigest = idsDigest
    self.coverageUntil = coverageUntil
    self.dropped = dropped
    self.capacity = capacity
    self.at = at
  }
}

/// Sets one setting of the store.
///
/// A register per name. Names and values that a build does not know are kept, and change nothing
/// there.
public struct SettingsSet: Hashable, Sendable {
  /// A name as ``SettingName`` has them, or of a later version; 1 to 64 bytes.
  public var name: String
  /// The value as text, at most 200 bytes; nil: the default.
  public var value: String?

  /// Makes a value of its parts.
  public init(name: String, value: String?) {
    self.name = name
    self.value = value
  }

  /// Sets a setting that this build knows.
  public init(_ name: SettingName, to value: String?) {
    self.init(name: name.rawValue, value: value)
  }
}

extension SnoozeSet {
  func validate() throws(ModelError) {
    try Limit.date(snooze.nominal.date, "date")
    try Limit.count(snooze.number, 0...Relative.maxRepeats, "number")
    try Limit.instant(snooze.until, "until")
  }
}

extension PlanSubmitted {
  func validate() throws(ModelError) {
    try Limit.count(added, PlanSettings.capacities, "added")
    try Limit.count(removed, 0...1_000_000, "removed")
    try Limit.count(failed, PlanSettings.capacities, "failed")
    try Limit.count(idsDigest.count, 32...32, "idsDigest: bytes")
    try Limit.instant(coverageUntil, "coverageUntil")
    try Limit.count(dropped, 0...1_000, "dropped")
    try Limit.count(capacity, PlanSettings.capacities, "capacity")
    try Limit.instant(at, "at")
  }
}

extension SettingsSet {
  func validate() throws(ModelError) {
    try Limit.text(name, 1...64, "name")
    try Limit.text(value, 0...200, "value")
  }
}
