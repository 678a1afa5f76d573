internal import CarillonModel

/// Snoozes, settings, and what was given to systems.
extension EventApplier {
  func apply(_ set: SnoozeSet, _ event: RawEvent) throws {
    let statement = try statement(.snooze)
    statement.bind(1, set.habit)
    statement.bind(2, set.snooze.slot)
    statement.bind(3, set.snooze.nominal.date)
    statement.bind(4, Int64(set.snooze.nominal.time.minute))
    statement.bind(5, Int64(set.snooze.number))
    statement.bind(6, event.id)
    statement.bind(7, set.snooze.until)
    statement.bind(8, set.snooze.ignoresQuietHours ? 1 : 0)
    try statement.run()
  }

  func apply(_ set: SettingsSet, _ event: RawEvent) throws {
    let statement = try statement(.setting)
    statement.bind(1, set.name)
    statement.bind(2, event.id)
    statement.bind(3, set.value)
    try statement.run()
  }

  func apply(_ submitted: PlanSubmitted, _ event: RawEvent) throws {
    let statement = try statement(.submission)
    statement.bind(1, event.replica)
    statement.bind(2, event.id)
    statement.bind(3, Int64(submitted.added))
    statement.bind(4, Int64(submitted.removed))
    statement.bind(5, Int64(submitted.failed))
    statement.bind(7, submitted.coverageUntil)
    statement.bind(8, Int64(submitted.dropped))
    statement.bind(9, Int64(submitted.capacity))
    statement.bind(10, (submitted.at ?? event.instant).milliseconds)
    try submitted.idsDigest.withUnsafeBytes {
      statement.bind(6, unowned: $0)
      try statement.run()
    }
  }
}
