import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting

/// The person's actions.
extension RandomHistory {
  private func habits(_ index: Int) async throws -> [Habit] {
    let all = try await devices[index].store.habits(includingArchived: true, includingDeleted: true)
    return all.sorted { $0.id < $1.id }
  }

  private func schedules(_ index: Int) async throws -> RandomSchedules {
    let today = try await devices[index].store.today()
    return RandomSchedules(using: &random, around: today)
  }

  func addHabit(_ index: Int) async throws {
    var schedules = try await schedules(index)
    let habit = schedules.habit()
    note(index, "adds \(habit.id) with \(habit.schedules.map(\.rule))")
    try await devices[index].store.add(habit)
  }

  func changeHabits(_ index: Int) async throws {
    let store = devices[index].store
    let all = try await habits(index)
    guard let habit = all.randomElement(using: &random), all.count > 2, !random.oneIn(6) else {
      if all.count < 8 { try await addHabit(index) }
      return
    }
    let choice = Int.random(in: 0..<12, using: &random)
    note(index, "changes \(habit.id) by \(choice)")
    switch choice {
    case 0 where habit.isArchived: try await store.unarchive(habit.id)
    case 0: try await store.archive(habit.id)
    case 1: try await store.delete(habit.id)
    case 2: try await store.restore(habit.id)
    default:
      var schedules = try await schedules(index)
      var changed = habit
      switch choice {
      case 3, 4: schedules.change(&changed)
      case 5: if changed.schedules.count < 4 { changed.schedules.append(schedules.schedule()) }
      case 6: if !changed.schedules.isEmpty { changed.schedules.removeLast() }
      default: edit(&changed, &schedules)
      }
      let after = changed
      try await store.edit(habit.id) { $0 = after }
    }
  }

  /// Changes a schedule's times or its condition.
  private func edit(_ habit: inout Habit, _ schedules: inout RandomSchedules) {
    guard let index = habit.schedules.indices.randomElement(using: &random) else { return }
    if habit.schedules[index].times.isEmpty || random.oneIn(3) {
      let new = schedules.schedule()
      habit.schedules[index].unless = new.unless
      habit.schedules[index].quota = new.quota
      habit.schedules[index].quietPolicy = new.quietPolicy
    } else {
      habit.schedules[index].setTimes(schedules.times())
    }
  }

  func live(_ index: Int) async throws {
    let store = devices[index].store
    guard let habit = try await habits(index).randomElement(using: &random) else { return }
    let today = try await store.today()
    let day = HabitDate.date(today.adding(days: random.pick([0, 0, 0, -1, 1])))
    let choice = Int.random(in: 0..<12, using: &random)
    note(index, "lives \(choice) with \(habit.id) on \(day)")
    switch choice {
    case 0..<4: try await store.markDone(habit.id, on: day, amount: random.pick([nil, nil, 0.5]))
    case 4: try await store.clear(habit.id, on: day)
    case 5, 6: try await store.skip(habit.id, on: day)
    case 7:
      let last = random.oneIn(2) ? nil : today.adding(days: 2)
      if random.oneIn(4) {
        try await store.pauseAll(to: last)
      } else {
        try await store.pause(habit.id, to: last)
      }
    case 8 where random.oneIn(2): try await store.resumeAll()
    case 8: try await store.resume(habit.id)
    case 9, 10:
      _ = try await store.snooze(habit.id, for: .seconds(random.pick([900, 3_600, 30_000])))
    default: try await store.recordActivity()
    }
  }

  /// Answers the notification that fired last.
  func answer(_ index: Int) async throws {
    let device = devices[index]
    guard let firing = await device.scheduler.system.firings.last,
      firing.id.request?.kind == .occurrence,
      firing.at.milliseconds > device.clock.now.milliseconds - 2 * 86_400_000
    else { return }
    let choice = Int.random(in: 0..<5, using: &random)
    note(index, "answers \(choice) to \(firing.id)")
    switch choice {
    case 0: try await device.store.recordReceipt(.opened, of: firing.id)
    case 1: try await device.store.recordReceipt(.dismissed, of: firing.id)
    case 2: try await device.store.respond(to: firing.id, action: .skip)
    default: try await device.store.respond(to: firing.id, action: .done)
    }
  }
}
