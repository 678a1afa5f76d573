import CarillonModel
import Foundation

/// The reasons that suppress a due date of a habit, in the order of the specification.
struct ReferenceRules {
  private let habit: Habit
  private let fixture: PlanFixture
  private let clock: ReferenceClock

  init(_ habit: Habit, _ fixture: PlanFixture, _ clock: ReferenceClock) {
    self.habit = habit
    self.fixture = fixture
    self.clock = clock
  }

  func reason(_ schedule: Schedule, due: CivilDate, at fire: Instant?) -> Explanation.Reason? {
    let state = fixture.state
    let day = state.days[habit.id]?[due] ?? StoreState.Day()
    let isDone = state.isDone(habit, on: due)
    if isPaused(on: due) { return .paused }
    if let start = habit.start, due < start { return .beforeStart }
    if let end = habit.end, due > end { return .afterEnd }
    if day.mark == .skip && !isDone { return .skipped }
    if isDone && (schedule.unless.contains(.done) || schedule.unless.contains(.quota)) {
      return .done
    }
    if let seconds = schedule.doneWithinSeconds, let fire {
      let wasDone = (state.entryTimes[habit.id] ?? []).contains {
        $0 <= fire && $0.milliseconds > fire.milliseconds - Int64(seconds) * 1_000
      }
      if wasDone { return .done }
    }
    if schedule.unless.contains(.quota) && isQuotaMet(schedule, due: due) { return .quotaMet }
    if schedule.unless.contains(.entry) && (day.entryCount > 0 || day.mark == .no) {
      return .anyEntry
    }
    let hasCondition = schedule.unless != .none || schedule.doneWithinSeconds != nil
    let days = schedule.stopAfterDays ?? (hasCondition ? 7 : 0)
    let isInactive = days > 0 && state.lastActive.map { $0.days(to: due) > days } ?? false
    return isInactive ? .inactive : nil
  }

  /// Whether a date is done by an entry that was recorded after a snooze.
  func isDone(on date: CivilDate, since snooze: Snooze) -> Bool {
    let last = fixture.state.lastRecordings[habit.id]?[date]
    let isLater = last.flatMap { last in snooze.event.map { last > $0 } } ?? false
    return isLater && fixture.state.isDone(habit, on: date)
  }

  /// Whether a pause covers the device's date at an instant to which a reminder is moved from
  /// another date.
  func isPaused(at instant: Instant, from own: Instant) -> Bool {
    let (date, before) = (
      clock.due(clock.show(instant, clock.device)), clock.due(clock.show(own, clock.device))
    )
    return date != before && isPaused(on: date)
  }

  private func isPaused(on date: CivilDate) -> Bool {
    fixture.state.pauses.values.contains { pause in
      (pause.habit ?? habit.id) == habit.id && date >= pause.first && date <= pause.last ?? date
    }
  }

  private func isQuotaMet(_ schedule: Schedule, due: CivilDate) -> Bool {
    let goal = habit.goal
    guard let quota = schedule.quota ?? goal else { return false }
    let days = fixture.state.days[habit.id] ?? [:]
    let isCounted: (CivilDate) -> Bool
    switch quota.period {
    case .day: return (days[due]?.amount ?? .zero).thousandths >= Int64(quota.count) * 1_000
    case .week:
      isCounted = { Self.monday(before: $0) == Self.monday(before: due) }
    case .month:
      isCounted = { date in
        date.components.year == due.components.year && date.components.month == due.components.month
      }
    case .rolling(let count): isCounted = { $0 <= due && $0.days(to: due) < count }
    }
    let done = days.map(\.date).filter { isCounted($0) && fixture.state.isDone(habit, on: $0) }
    return done.count >= quota.count
  }

  private static func monday(before date: CivilDate) -> CivilDate {
    var date = date
    while date.weekday != .monday { date = date.adding(days: -1) }
    return date
  }
}
