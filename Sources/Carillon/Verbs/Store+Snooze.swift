public import CarillonModel
internal import CarillonSQLite

/// A reminder that was put off.
public struct SnoozedReminder: Hashable, Sendable {
  /// Its schedule.
  public let schedule: ScheduleID
  /// The civil date and time by which its occurrence is named; of an interval those of UTC.
  public let nominal: CivilDateTime
  /// The number of the repeat, of a schedule relative to another rule; else 0.
  public let number: Int
  /// When it fires instead.
  public let until: Instant
  /// What quiet hours make of that: when it fires after all, and how.
  public let effect: SnoozeEffect
  /// When the schedule's next occurrence falls, whether it fires or is silent; nil where none does.
  public let next: Instant?

  /// Whether the next occurrence comes first, so that nothing is moved, even where that is silent.
  public var hasNoEffect: Bool { next.map { $0 <= until } ?? false }
}

extension Store {
  /// For how long an answer snoozes that does not say: 15 minutes.
  public static let snoozeSeconds = 900
  /// For how long one may snooze: a minute to a year.
  public static let snoozeLimits = 60...31_536_000

  /// Puts the latest reminder of a habit off: the one that fired last, on whichever device, where
  /// that was within 24 hours and its date is not done.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - seconds: For how long from now on, 60...31,536,000.
  /// - Returns: What was put off, nil where there is nothing; and what was written.
  /// - Throws: `notFound`, `invalidValue`.
  @discardableResult
  public func snooze(
    _ id: HabitID, for seconds: Int = snoozeSeconds
  ) async throws -> (reminder: SnoozedReminder?, written: Written) {
    try Self.requireSnooze(seconds)
    let chosen = Locked<SnoozedReminder?>(nil)
    let written = try await write { context in
      let planner = try self.planner(of: context.habit(id), since: context.now, context)
      let schedules = try context.reader.schedulesWritten(of: id)
      guard let found = planner.snoozable(id, schedules: schedules) else {
        chosen.set(nil)
        return Decision(payloads: [], needsState: true)
      }
      let until = context.now.adding(snooze: seconds)
      chosen.set(
        SnoozedReminder(
          schedule: found.schedule, nominal: found.nominal, number: found.number, until: until,
          effect: planner.effect(ofSnoozing: found, until: until), next: found.next))
      let snooze = Snooze(
        schedule: found.schedule, nominal: found.nominal, number: found.number, until: until)
      return Decision(
        payloads: [.snoozeSet(SnoozeSet(habit: id, snooze: snooze))], needsState: true)
    }
    return (chosen.value, written)
  }

  static func requireSnooze(_ seconds: Int) throws {
    guard snoozeLimits.contains(seconds) else {
      throw StoreError(
        code: .invalidValue,
        message: "for: \(seconds) s is out of range; 60 to 31536000 is allowed",
        hint: "give 15m, say")
    }
  }
}

extension Instant {
  /// So many seconds later; at most the last instant that an event may name.
  func adding(snooze seconds: Int) -> Instant {
    let last = (Int64(1) << 45) - 1
    return Instant(milliseconds: min(milliseconds + Int64(seconds) * 1_000, last))
  }
}
