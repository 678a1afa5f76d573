/// The plans of the schedules of one planning pass.
///
/// The plan of a plain schedule is made when it is needed, because few schedules get a place in the
/// queue.
final class PlannedSchedules {
  /// The plans that were made at once; all parts of a relative schedule are side by side.
  let made: [SchedulePlan]
  private let plain: [PlainSchedule]
  private var later: [SchedulePlan?]
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
  /// The index of the schedule in its habit.
  let index: Int
  /// The first occurrence after now, which is inside the horizon.
  let first: Occurrence
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
      guard let first = firstPlainOccurrence(of: schedules, index, from: moment) else {
        found.removeLast(found.count - count)
        return false
      }
      found.append(PlainSchedule(habit: id, index: index, first: first))
    }
    return true
  }

  /// Returns the first occurrence of a plain schedule at or after a civil time, or nil if the
  /// schedule is not plain or has none in the horizon.
  ///
  /// - Parameter index: The index of the schedule in its habit. An index avoids copying the
  ///   schedule.
  private func firstPlainOccurrence(
    of schedules: [Schedule], _ index: Int, from moment: CivilDateTime
  ) -> Occurrence? {
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
    return Occurrence(identity: nominal, number: 0, instant: instant, due: due)
  }
}
