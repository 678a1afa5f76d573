public import CarillonModel
internal import CarillonSQLite

/// A reminder that was snoozed.
public struct SnoozedReminder: Hashable, Sendable {
  /// The schedule of the occurrence.
  public let schedule: ScheduleID
  /// The nominal civil date and time of the occurrence; in UTC for an interval schedule.
  public let nominal: CivilDateTime
  /// The number of the repeat, for a schedule relative to another rule; else 0.
  package let number: Int
  /// The instant until which it is snoozed.
  public let until: Instant
  /// The effect of quiet hours on the snooze: when the reminder fires, and how.
  public let effect: SnoozeEffect
  /// The instant of the schedule's next occurrence, even if it is silent; nil if there is none.
  package let next: Instant?

  /// Whether the next occurrence, even a silent one, comes before the snooze ends.
  ///
  /// The snooze then moves nothing.
  public var hasNoEffect: Bool { next.map { $0 <= until } ?? false }
}

extension Store {
  /// The default duration of a snooze in seconds: 15 minutes.
  public static let snoozeSeconds = 900
  /// The allowed durations of a snooze in seconds: a minute to a year.
  package static let snoozeLimits = 60...31_536_000

  /// Snoozes the latest reminder of a habit: the one that fired last, on any device, if that was
  /// within 24 hours and its date is not done.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - seconds: The duration from now, 60...31,536,000.
  /// - Returns: The snoozed reminder, nil if there is none to snooze; and what was written.
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
        hint: "use a duration such as 15m")
    }
  }
}

extension Instant {
  /// Returns the instant `seconds` later, limited to the last instant that an event may contain.
  func adding(snooze seconds: Int) -> Instant {
    let last = (Int64(1) << 45) - 1
    return Instant(milliseconds: min(milliseconds + Int64(seconds) * 1_000, last))
  }
}
