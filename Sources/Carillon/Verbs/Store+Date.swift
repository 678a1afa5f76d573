import CarillonModel
import CarillonSQLite
import Foundation

/// The dates that verbs use when the caller names none.
extension Store {
  /// Returns today in the zone that all of the habit's schedules share; in the device's zone if
  /// they share none.
  func today(of habit: Habit, _ context: Context) -> CivilDate {
    let zones = Set(habit.schedules.map(\.civilZone))
    guard case .fixed(let name)? = zones.first, zones.count == 1,
      let zone = TimeZone(identifier: name)
    else { return context.today }
    return LogicalDate.of(context.now, in: zone, dayStart: context.settings.dayStart)
  }

  /// Returns the due date of the occurrence that fired last, if that was within 24 hours or the
  /// date is still to come, the date is not done, and no occurrence of today fires sooner from now;
  /// else today.
  func dateDone(_ habit: Habit, _ context: Context) throws -> CivilDate {
    let today = today(of: habit, context)
    let yesterday = Instant(milliseconds: context.now.milliseconds - 86_400_000)
    // What fired earlier counts only if it fired ahead of its date.
    let lead = habit.schedules.map(\.leadSeconds).max() ?? 0
    let start = Instant(milliseconds: yesterday.milliseconds - Int64(lead) * 1_000)
    let planner = try planner(of: habit, since: start, context)
    let fired = planner.fired(
      habit.id, since: start, schedules: try context.reader.schedulesWritten(of: habit.id))
    guard let last = fired.last(where: { $0.firedAt >= yesterday || $0.due > today }),
      last.due != today,
      try context.reader.entries(of: habit.id, on: last.due).isEmpty
    else { return today }
    guard let next = planner.nextFiring(of: habit.id, dueOn: today) else { return last.due }
    let isNear =
      context.now.milliseconds - last.firedAt.milliseconds
      <= next.milliseconds - context.now.milliseconds
    return isNear ? last.due : today
  }

  /// Returns the current time of day on an earlier date, for a habit with reminders that depend on
  /// the times of its entries; nil for any other habit or date.
  func momentDone(_ habit: Habit, on date: CivilDate, _ context: Context) -> Instant? {
    guard habit.asksForEntryTimes, date < context.today else { return nil }
    let calendar = CivilCalendar(zone: context.zone)
    let now = calendar.dateTime(at: context.now)
    let shifted = now.date.adding(days: context.today.days(to: date))
    return calendar.instant(of: CivilDateTime(date: shifted, time: now.time))
  }

  /// Returns the date of the last record made today, of any date; without one, today.
  ///
  /// Imported entries do not count, nor marks of dates more than a year ago, which an import may
  /// have made. Of several dates that one event marked, this is the last.
  func dateUndone(_ habit: Habit, _ context: Context) throws -> CivilDate {
    let midnight = CivilCalendar(zone: context.zone).instant(
      of: CivilDateTime(date: context.today, time: context.settings.dayStart))
    var records: [(event: EventID, payload: Payload)] = []
    try log.scan(writtenSince: midnight ?? context.now) { event in
      guard let payload = LoggedEvent(event, opening: nil).payload, payload.records(habit.id)
      else { return }
      records.append((event.id, payload))
    }
    records.sort { $0.event > $1.event }
    for (event, payload) in records {
      if let date = try context.date(payload, event) { return date }
    }
    return today(of: habit, context)
  }

  /// Returns the reminders of a habit that come although it was just done on a date, soonest first
  /// and places last: those that are due on the date if it is done, and the next one of each
  /// interval.
  ///
  /// An interval that counts from entries has one even if the amount of the date is not reached.
  ///
  /// - Throws: `notFound`.
  /// - Complexity: O(occurrences of the habit within the horizon).
  package func comingAlthoughDone(
    _ id: HabitID, on date: CivilDate
  ) async throws(StoreError) -> [Explanation] {
    try await read { context in
      let habit = try context.habit(id)
      let isDone = try context.isDone(habit, on: date)
      let planner = try self.planner(of: habit, since: context.now, context)
      let explainer = Explainer(planner, planner.plan())
      let intervals = habit.schedules.filter(\.isInterval)
      let next = intervals.filter { isDone || $0.countsFromEntries }.compactMap { schedule in
        explainer.nextExplanation(of: id, schedule: schedule.id)
      }
      let due = isDone ? explainer.explain(id, on: date) : []
      let names = Set(intervals.map(\.id))
      return (next + due.filter { !names.contains($0.schedule) })
        .filter { !$0.isPast && $0.reason.fires }
        .sorted(by: Explanation.isSooner)
    }
  }

  /// Returns what happens to the occurrences of a habit that are due on a date, whatever places
  /// other habits take in the plan.
  ///
  /// - Throws: `notFound`.
  /// - Complexity: O(occurrences of the habit within the horizon).
  package func explainAlone(
    _ id: HabitID, on date: CivilDate
  ) async throws(StoreError) -> [Explanation] {
    try await read { context in
      let planner = try self.planner(of: try context.habit(id), since: context.now, context)
      return Explainer(planner, planner.plan()).explain(id, on: date)
    }
  }

  /// Returns a planner that knows one habit, with the state needed to compute what fired since
  /// `start`.
  func planner(of habit: Habit, since start: Instant, _ context: Context) throws -> Planner {
    let settings = planSettings(context)
    var state = try context.reader.state(
      of: habit, range: Planner.range(now: start))
    state.add(
      firings: try context.reader.plannedRepeats().filter { $0.occurrence.habit == habit.id },
      on: context.device, in: context.zone, by: context.now)
    return Planner(
      state: state, settings: settings, device: context.device, now: context.now)
  }
}

extension Payload {
  /// Whether the payload records an entry of a habit that was not imported, or marks its dates.
  fileprivate func records(_ habit: HabitID) -> Bool {
    switch self {
    case .entryRecorded(let entry):
      if case .imported = entry.kind { return false }
      return entry.habit == habit
    case .dayMarked(let marked): return marked.habit == habit && marked.mark != .clear
    default: return false
    }
  }
}

extension Context {
  /// Returns the last date for which what an event records still holds, or nil if there is none.
  ///
  /// A mark of a date more than a year ago does not count.
  fileprivate func date(_ payload: Payload, _ event: EventID) throws -> CivilDate? {
    switch payload {
    case .entryRecorded(let entry):
      let isLive = try reader.entries(of: entry.habit, on: entry.date).contains {
        $0.recordings.contains(event)
      }
      return isLive ? entry.date : nil
    case .dayMarked(let marked):
      let first = max(marked.first, today.adding(days: -366))
      guard first <= marked.last else { return nil }
      return try (first...marked.last).last {
        try reader.markEvent(of: marked.habit, on: $0) == event
      }
    default: return nil
    }
  }
}

extension EventReader {
  /// Calls `body` for the events that were written at an instant or later, branch by branch.
  ///
  /// - Complexity: O(branches + these events).
  fileprivate func scan(writtenSince instant: Instant, _ body: (RawEvent) throws -> Void) throws {
    func isWritten(_ id: EventID) -> Bool { id.timestamp.milliseconds >= instant.milliseconds }
    for branch in try branches() where isWritten(branch.headID) {
      // Timestamps increase along a branch. So the search goes back from its end, in ever longer
      // steps.
      let first = branch.firstSequence.rawValue
      var (start, step, isSince) = (branch.headSequence.rawValue, UInt64(1), true)
      while isSince, start > first {
        start -= min(step, start - first)
        step *= 2
        try scan(branch: branch.index, from: SequenceNumber(rawValue: start)) { event in
          isSince = isWritten(event.id)
          return false
        }
      }
      try scan(branch: branch.index, from: SequenceNumber(rawValue: start)) { event in
        if isWritten(event.id) { try body(event) }
        return true
      }
    }
  }
}

extension Schedule {
  /// How long before its times the schedule fires, or longer.
  fileprivate var leadSeconds: Int {
    if case .relative(let relative) = rule { max(0, -relative.offsetSeconds) } else { 0 }
  }
}
