public import CarillonModel
internal import CarillonSQLite

/// A reminder that was snoozed.
public struct SnoozedReminder: Hashable, Sendable {
  /// The occurrence that fires again.
  package let occurrence: OccurrenceID
  /// The instant at which the occurrence fires unless something moves it.
  package let scheduledAt: Instant
  /// The instant until which it is snoozed.
  public let until: Instant
  /// The end of the snooze that this one replaced; nil if the occurrence was not snoozed.
  package let replacedEnd: Instant?
  /// The instant at which the reminder fires: ``until``, or the end of quiet hours.
  public let fireAt: Instant
  /// Whether quiet hours remove the sound.
  package let isSilent: Bool
  /// Whether the date is done; the schedule has no condition that this meets.
  package let isDateDone: Bool
}

/// The result of snoozing a reminder.
public struct SnoozeReport: Hashable, Sendable {
  /// The snoozed reminder; nil if there was none to snooze.
  public let reminder: SnoozedReminder?
  /// Why the reminder that fired last cannot be snoozed; nil if one was, or if none fired.
  package let obstacle: Explanation?
  /// What was written.
  public let written: Written
}

extension Store {
  /// The default duration of a snooze: 15 minutes.
  package static let defaultSnooze = Duration.seconds(900)
  /// The allowed durations of a snooze: a minute to 365 days.
  package static let snoozeLimits =
    Duration.seconds(Limit.seconds.lowerBound)...Duration.seconds(Limit.seconds.upperBound)
  /// The latest end of a snooze until an instant: 366 days from now.
  package static let longestSnooze = Duration.seconds(31_622_400)

  /// Snoozes the latest reminder of a habit: the one that fired last, on any device, if that was
  /// within 24 hours.
  ///
  /// The snoozed reminder fires, whatever the schedule's other conditions and quota say. It does
  /// not fire if its date is skipped, the habit is paused, archived or deleted, or the schedule no
  /// longer has it; nor on a date that is done, if the schedule is suppressed by that. Recording
  /// the date as done ends it in any case. Quiet hours defer it.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - duration: The time from now, from a minute to 365 days.
  /// - Throws: `notFound`, `invalidValue`.
  @discardableResult
  public func snooze(
    _ id: HabitID, for duration: Duration = .seconds(900)
  ) async throws(StoreError) -> SnoozeReport {
    try Self.requireSnooze(duration)
    return try await snooze(id) { $0.now.adding(snooze: duration) }
  }

  /// Snoozes the latest reminder of a habit, as ``snooze(_:for:)`` does, until an instant.
  ///
  /// - Parameter end: After now, and at most 366 days away.
  /// - Throws: `notFound`, `invalidValue`.
  @discardableResult
  package func snooze(_ id: HabitID, until end: Instant) async throws(StoreError) -> SnoozeReport {
    try await snooze(id) { context in
      guard end > context.now, end <= context.now.adding(snooze: Self.longestSnooze) else {
        throw StoreError(
          code: .invalidValue,
          message: "the end of a snooze, \(end.rfc3339()), is out of range; the next 366 days are "
            + "allowed")
      }
      return end
    }
  }

  /// Returns the habits of which ``snooze(_:for:)`` would snooze a reminder now.
  ///
  /// - Complexity: O(schedules + facts of the last days).
  package func snoozableHabits() async throws(StoreError) -> Set<HabitID> {
    try await read { context in
      let planner = try self.planner(context)
      let until = context.now.adding(snooze: Self.defaultSnooze)
      let written = try context.reader.schedulesWritten()
      let ids = planner.state.habits.values.lazy.filter { !$0.schedules.isEmpty }.map(\.id)
      return Set(
        ids.filter { id in
          planner.snoozable(id, until: until, schedules: written[id, default: [:]]) != nil
        })
    }
  }

  private func snooze(
    _ id: HabitID, until end: @escaping @Sendable (Context) throws -> Instant
  ) async throws(StoreError) -> SnoozeReport {
    let chosen = Locked<SnoozedReminder?>(nil)
    let obstacle = Locked<Explanation?>(nil)
    let written = try await write { context in
      let planner = try self.planner(of: context.habit(id), since: context.now, context)
      let schedules = try context.reader.schedulesWritten(of: id)
      let until = try end(context)
      guard let found = planner.snoozable(id, until: until, schedules: schedules) else {
        chosen.set(nil)
        obstacle.set(planner.obstacle(toSnoozing: id, until: until, schedules: schedules))
        return Decision(payloads: [], needsState: true)
      }
      let occurrence = found.occurrence
      let replaced = try self.recentSnoozes(context)[id, default: []].first { snooze in
        (snooze.schedule, snooze.nominal, snooze.number)
          == (occurrence.schedule, occurrence.nominal, occurrence.number)
      }
      let effect = planner.effect(ofSnoozing: found, until: until)
      chosen.set(
        SnoozedReminder(
          occurrence: occurrence, scheduledAt: found.instant, until: until,
          replacedEnd: replaced?.until.flatMap { $0 > context.now ? $0 : nil },
          fireAt: effect.fireAt, isSilent: effect.isSilent, isDateDone: found.isDateDone))
      let snooze = Snooze(
        schedule: occurrence.schedule, nominal: occurrence.nominal, number: occurrence.number,
        until: until)
      return Decision(
        payloads: [.snoozeSet(SnoozeSet(habit: id, snooze: snooze))], needsState: true)
    }
    return SnoozeReport(
      reminder: chosen.value, obstacle: chosen.value == nil ? obstacle.value : nil,
      written: written)
  }

  /// Ends the snoozes of a habit that are not over: their reminders do not fire again.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - end: Ends only the snoozes until this instant; nil for all.
  /// - Returns: What was written, and when the snoozes would have ended.
  /// - Throws: `notFound`.
  /// - Complexity: O(snoozed occurrences of the habit).
  package func endSnoozes(
    of id: HabitID, until end: Instant? = nil
  ) async throws(StoreError) -> (written: Written, ends: [Instant]) {
    let ended = Locked<[Instant]>([])
    let written = try await write { context in
      let planner = try self.planner(of: context.habit(id), since: context.now, context)
      let running = planner.snoozes(of: id).map(\.snooze)
      // A snooze that an entry or a skip ended would be back if that is taken back.
      let others = try self.recentSnoozes(context)[id, default: []].filter { snooze in
        !running.contains(snooze) && snooze.until.map { $0 > context.now } ?? false
      }
      let ending = (running + others).filter { end == nil || $0.until == end }
      ended.set(ending.compactMap(\.until))
      return Decision(payloads: ending.map { $0.canceled(in: id) }, needsState: true)
    }
    return (written, ended.value)
  }

  /// Returns the snoozes whose reminders will fire, in the order of the habits.
  ///
  /// - Parameter id: The habit; nil for all.
  /// - Complexity: O(1) if nothing is snoozed.
  package func snoozes(of id: HabitID? = nil) async throws(StoreError) -> [ComingSnooze] {
    try await read { context in
      let snoozed = try self.recentSnoozes(context)
      let ids = id.map { [$0] } ?? Array(snoozed.keys)
      guard ids.contains(where: snoozed.keys.contains) else { return [] }
      let explainer = try self.explainer(context, including: context.today.adding(days: -1))
      let habits = ids.compactMap { explainer.habits[$0] }.filter { !$0.isDeleted }
      return try habits.inListOrder().flatMap { habit in
        try self.snoozes(of: habit, on: nil, context).compactMap { one in
          let request = one.request(of: habit.id)
          let own = explainer.explain(habit.id, on: one.due).first { $0.id == request }
          guard let until = one.snooze.until, let fireAt = own?.fires else { return nil }
          return ComingSnooze(habit: habit, request: request, until: until, fireAt: fireAt)
        }
      }
    }
  }

  /// Returns the snoozes that may not be over.
  private func recentSnoozes(_ context: Context) throws -> [HabitID: [Snooze]] {
    try context.reader.snoozes(range: context.today.adding(days: -1)...context.today)
  }

  /// Returns the snoozes that are not over, of occurrences that are due on a date.
  ///
  /// - Parameter date: Nil for all dates.
  /// - Complexity: O(1) if nothing is snoozed.
  func snoozes(
    of habit: Habit, on date: CivilDate?, _ context: Context
  ) throws -> [Planner.RunningSnooze] {
    guard try recentSnoozes(context)[habit.id] != nil else { return [] }
    let planner = try self.planner(of: habit, since: context.now, context)
    return planner.snoozes(of: habit.id, due: date)
  }

  /// Returns the snoozes whose reminders would fire, of occurrences that are due on a date.
  ///
  /// - Complexity: O(1) if nothing is snoozed.
  func snoozesFiring(
    of habit: Habit, on date: CivilDate, _ context: Context
  ) throws -> [Snooze] {
    try snoozes(of: habit, on: date, context).filter(\.fires).map(\.snooze)
  }

  static func requireSnooze(_ duration: Duration) throws(StoreError) {
    guard snoozeLimits.contains(duration) else {
      throw StoreError(
        code: .invalidValue,
        message: "the duration of a snooze, \(duration.wholeSeconds) seconds, is out of range; "
          + "a minute to 365 days is allowed",
        hint: "use a duration such as 15m")
    }
  }
}

/// A snooze whose reminder will fire.
package struct ComingSnooze: Sendable {
  /// The habit.
  package let habit: Habit
  /// The request of the snoozed occurrence.
  package let request: RequestID
  /// The end of the snooze.
  package let until: Instant
  /// The instant at which the reminder fires: the end of the snooze, or of the quiet hours that
  /// defer it.
  package let fireAt: Instant
}

extension Instant {
  /// Returns the instant a duration later, limited to the last instant that an event may contain.
  package func adding(snooze duration: Duration) -> Instant {
    let last = Timestamp.clockLimit - 1
    return Instant(milliseconds: min(milliseconds + Int64(duration.wholeSeconds) * 1_000, last))
  }
}

extension Planner.RunningSnooze {
  /// Returns the ID of the snoozed occurrence's own request.
  fileprivate func request(of habit: HabitID) -> RequestID {
    RequestID(
      habit: habit, schedule: snooze.schedule, nominal: snooze.nominal, number: snooze.number)
  }
}

extension Snooze {
  /// The event that ends the snooze.
  func canceled(in habit: HabitID) -> Payload {
    var snooze = self
    snooze.until = nil
    return .snoozeSet(SnoozeSet(habit: habit, snooze: snooze))
  }
}

extension Explanation {
  /// The instant at which the occurrence fires, or at which another one fires for it when quiet
  /// hours end; nil if neither does.
  fileprivate var fires: Instant? {
    if case .quietHours(let end) = detail { return end }
    return reason.fires ? fireAt : nil
  }
}
