import Carillon
import CarillonModel
import CarillonTesting

/// What the person does.
extension RandomHistory {
  private func habits(_ index: Int) async throws -> [Habit] {
    let all = try await devices[index].store.habits(includingArchived: true, includingDeleted: true)
    return all.sorted { $0.id < $1.id }
  }

  private func slots(_ index: Int) async throws -> RandomSlots {
    let today = try await devices[index].store.today()
    return RandomSlots(using: &random, around: today)
  }

  func addHabit(_ index: Int) async throws {
    var slots = try await slots(index)
    let habit = slots.habit()
    note(index, "adds \(habit.id) with \(habit.slots.map(\.rule))")
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
    case 0: try await store.setArchived(!habit.isArchived, habit.id)
    case 1: try await store.delete(habit.id)
    case 2: try await store.restore(habit.id)
    default:
      var slots = try await slots(index)
      var changed = habit
      switch choice {
      case 3, 4: slots.change(&changed)
      case 5: if changed.slots.count < 4 { changed.slots.append(slots.slot()) }
      case 6: if !changed.slots.isEmpty { changed.slots.removeLast() }
      default: edit(&changed, &slots)
      }
      let after = changed
      try await store.edit(habit.id) { $0 = after }
    }
  }

  /// Other times for a slot, or another condition.
  private func edit(_ habit: inout Habit, _ slots: inout RandomSlots) {
    guard let index = habit.slots.indices.randomElement(using: &random) else { return }
    if habit.slots[index].times.isEmpty || random.oneIn(3) {
      let new = slots.slot()
      habit.slots[index].unless = new.unless
      habit.slots[index].quota = new.quota
      habit.slots[index].quietPolicy = new.quietPolicy
    } else {
      habit.slots[index].setTimes(slots.times())
    }
  }

  func live(_ index: Int) async throws {
    let store = devices[index].store
    guard let habit = try await habits(index).randomElement(using: &random) else { return }
    let today = try await store.today()
    let day = Day.date(today.adding(days: random.pick([0, 0, 0, -1, 1])))
    let choice = Int.random(in: 0..<12, using: &random)
    note(index, "lives \(choice) with \(habit.id) on \(day)")
    switch choice {
    case 0..<4: try await store.markDone(habit.id, on: day, amount: random.pick([nil, nil, 500]))
    case 4: try await store.undo(habit.id, on: day)
    case 5, 6: try await store.skip(habit.id, on: day)
    case 7:
      let last = random.oneIn(2) ? nil : today.adding(days: 2)
      try await store.pause(random.oneIn(4) ? nil : habit.id, to: last)
    case 8: try await store.resume(random.oneIn(2) ? nil : habit.id)
    case 9, 10: _ = try await store.snooze(habit.id, for: random.pick([900, 3_600, 30_000]))
    default: try await store.recordActivity()
    }
  }

  /// Does something with what rang last.
  func answer(_ index: Int) async throws {
    let device = devices[index]
    guard let ring = await device.scheduler.system.rings.last, ring.id.hasPrefix("c1."),
      ring.at.milliseconds > device.clock.now.milliseconds - 2 * 86_400_000
    else { return }
    let choice = Int.random(in: 0..<5, using: &random)
    note(index, "answers \(choice) to \(ring.id)")
    switch choice {
    case 0: try await device.store.recordReceipt(.opened, of: ring.id)
    case 1: try await device.store.recordReceipt(.dismissed, of: ring.id)
    case 2: try await device.store.respond(to: ring.id, action: "skip")
    default: try await device.store.respond(to: ring.id, action: "done")
    }
  }
}
