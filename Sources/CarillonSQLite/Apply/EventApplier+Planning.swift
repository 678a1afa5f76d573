internal import CarillonModel

/// Applies snoozes, settings, and reports of submitted plans.
extension EventApplier {
  func apply(_ set: SnoozeSet, _ event: RawEvent) throws {
    let snooze = set.snooze
    try insert(
      .snooze, set.habit, snooze.schedule, snooze.nominal.date, snooze.nominal.time, snooze.number,
      event.id, snooze.until, snooze.ignoresQuietHours)
  }

  func apply(_ set: SettingsSet, _ event: RawEvent) throws {
    try insert(.setting, set.name, event.id, set.value)
    guard !set.replaces.isEmpty else { return }
    try insert(.settingEdit, set.name, event.id, set.value, set.replaces.flatMap(\.bytes))
  }

  func apply(_ submitted: PlanSubmitted, _ event: RawEvent) throws {
    try insert(
      .submission, event.replica, event.id, submitted.added, submitted.removed, submitted.failed,
      submitted.idsDigest, submitted.coverageUntil, submitted.dropped, submitted.capacity,
      submitted.at ?? event.instant)
  }
}
