/// The plans of the schedules of one planning pass.
///
/// The plan of a plain schedule is made when it is needed, because few schedules get a place in the
/// queue.
final class PlannedSchedules {
  /// The plans that were made at once; all parts of a relative schedule are side by side.
  let made: [SchedulePlan]
  private let plain: [PlainSchedule]
  private var later: [SchedulePlan?]
  /// The IDs of the first requests of plain schedules; empty until one is needed.
  private var ids: [RequestID?] = []
  private let make: (PlainSchedule) -> SchedulePlan

  /// - Parameter make: Makes the plan of a plain schedule.
  init(
    _ made: [SchedulePlan], plain: [PlainSchedule],
    _ make: @escaping (PlainSchedule) -> SchedulePlan
  ) {
    self.made = made
    self.plain = plain
    later = Array(repeating: nil, count: plain.count)
    self.make = make
  }

  var count: Int { made.count + plain.count }

  /// Returns the plan of a schedule, which is made once.
  subscript(index: Int) -> SchedulePlan {
    guard index >= made.count else { return made[index] }
    let place = index - made.count
    if let known = later[place] { return known }
    let plan = make(plain[place])
    later[place] = plan
    return plan
  }

  /// Returns a plain schedule whose plan is not needed to name its first request; nil for any other
  /// schedule.
  func named(_ index: Int) -> PlainSchedule? {
    guard index >= made.count, plain[index - made.count].isSingle else { return nil }
    return plain[index - made.count]
  }

  /// Returns the ID of a schedule's first request, or nil if it takes the plan to compute it.
  func firstID(of index: Int) -> RequestID? {
    guard let schedule = named(index) else { return nil }
    let place = index - made.count
    if ids.isEmpty { ids = Array(repeating: nil, count: plain.count) }
    if let known = ids[place] { return known }
    let id = RequestID(
      habit: schedule.habit, schedule: schedule.id, nominal: schedule.first.identity)
    ids[place] = id
    return id
  }

  /// Whether the plan of a schedule was made.
  func isMade(_ index: Int) -> Bool { index < made.count || later[index - made.count] != nil }

  /// Returns the first occurrence of a schedule that has a request at its own instant.
  func firstOccurrence(of index: Int) -> Occurrence? {
    index < made.count ? made[index].next(after: nil, count: 0) : plain[index - made.count].first
  }

  /// Returns the requests that the system repeats for some of a schedule's times, or nil if there
  /// are none.
  func chosenRepeats(of index: Int) -> ChosenRepeats? {
    guard index < made.count, case .some(let chosen) = made[index].repeats else { return nil }
    return chosen
  }
}

/// A schedule of which all occurrences in the horizon fire at their nominal times.
///
/// No fact of the habit, no quiet hours and no change of the clocks concern it.
struct PlainSchedule {
  let habit: HabitID
  let id: ScheduleID
  /// The index of the schedule in its habit.
  let index: Int
  /// The first occurrence after now, which is inside the horizon.
  let first: Occurrence
  /// Whether a condition or an inactivity limit requires a request for each occurrence.
  let isSingle: Bool
}

extension PlanFrame {
  /// Appends the schedules of a habit if all of them are plain, otherwise returns false.
  func append(
    plain found: inout [PlainSchedule], of habit: borrowing Habit, state: borrowing StoreState
  ) -> Bool {
    let (id, count) = (habit.id, found.count)
    guard let moment = firstPlainMoment, habit.start == nil, habit.end == nil, pauses[id].isEmpty,
      state.days[id]?.isEmpty ?? true, state.receipts[id]?.isEmpty ?? true,
      state.snoozes[id]?.isEmpty ?? true,
      state.scheduleCreated[id]?.values.allSatisfy({ $0 <= now }) ?? true
    else { return false }
    let schedules = habit.schedules
    for index in schedules.indices {
      guard let plain = plainSchedule(index, in: schedules, of: id, from: moment) else {
        found.removeLast(found.count - count)
        return false
      }
      found.append(plain)
    }
    return true
  }

  /// Returns a plain schedule with its first occurrence at or after a civil time, or nil if the
  /// schedule is not plain or has none in the horizon.
  ///
  /// - Parameter index: The index of the schedule in its habit. An index avoids copying the
  ///   schedule.
  private func plainSchedule(
    _ index: Int, in schedules: [Schedule], of habit: HabitID, from moment: CivilDateTime
  ) -> PlainSchedule? {
    switch schedules[index].rule {
    case .weekly, .everyDays: break
    default: return nil
    }
    let condition = schedules[index].unless
    guard schedules[index].zone == .floating,
      schedules[index].doneWithinSeconds == nil, !condition.contains(.quota),
      let nominals = Nominals(schedules[index].rule, at: schedules[index].times),
      let nominal = nominals.first(onOrAfter: moment),
      let instant = zones.own.instant(of: nominal), instant < end
    else { return nil }
    let due = nominal.dueDate(dayStart: dayStart)
    let limit = schedules[index].stopAfterDays ?? (condition.isEmpty ? 0 : 7)
    if limit > 0, let last = lastActive?.adding(days: limit), due > last { return nil }
    return PlainSchedule(
      habit: habit, id: schedules[index].id, index: index,
      first: Occurrence(identity: nominal, number: 0, instant: instant, due: due),
      isSingle: !condition.isEmpty || limit > 0)
  }
}
