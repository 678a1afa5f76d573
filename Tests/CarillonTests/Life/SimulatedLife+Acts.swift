import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting

/// The person's actions on a device.
///
/// The oracle learns only the types of the events written, and derives their meaning itself.
extension SimulatedLife {
  func act(_ index: Int) async throws {
    let known = state(of: index)
    guard let id = known.habits.keys.sorted().randomElement(using: &random),
      let habit = known.habits[id]
    else { return try await addHabit(index) }
    let before = try store(index).lastPosition()
    let choice = Int.random(in: 0..<22, using: &random)
    switch choice {
    case 0..<6: try await markDone(index, habit, known)
    case 6..<9: try await answer(index)
    case 9, 10: try await skip(index, habit, known)
    case 11, 12: try await undo(index, habit, known)
    case 13: try await pause(index, habit)
    case 14: try await resume(index, known)
    case 15, 16, 17: try await snooze(index, habit)
    case 18, 19: try await edit(index, habit)
    case 20: try await addHabit(index)
    default: try await archive(index, habit, known)
    }
    guard try store(index).lastPosition() != before else { return }
    learn(index, .active(oracle.today(now)))
    wrote(index)
  }

  private func store(_ index: Int) -> Store { devices[index].store }

  func addHabit(_ index: Int) async throws {
    let habit = randomHabit()
    try await store(index).add(habit.habit)
    learn(index, .habit(habit))
    wrote(index)
  }

  private func markDone(_ index: Int, _ habit: LifeHabit, _ known: LifeState) async throws {
    let written = try await store(index).markDone(habit.id)
    learnEndedSnoozes(index, habit, known, written)
    guard written.has("entry.recorded"), let date = written.date else { return }
    learn(index, .done(habit.id, date))
  }

  /// Taps "done" or "skip" on what fired last, or dismisses it.
  private func answer(_ index: Int) async throws {
    let scheduler = devices[index].scheduler
    guard let firing = await scheduler.system.firings.last, firing.id.request?.kind != .repeating,
      firing.at.milliseconds > now.milliseconds - 2 * 86_400_000, firing.at <= now,
      let request = await scheduler.request(of: firing)
    else { return }
    // A digest is not a single reminder that can be done.
    if firing.id.request?.kind == .digest {
      try await store(index).recordReceipt(.dismissed, of: firing.id)
      return
    }
    let due = oracle.due(request.occurrence.nominal)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try await store(index).recordReceipt(.dismissed, of: firing.id)
    case 1:
      let written = try await store(index).respond(to: firing.id, action: .skip).written
      if written.has("day.marked") { learn(index, .skipped(request.habit, due, true)) }
    default:
      let written = try await store(index).respond(to: firing.id, action: .done).written
      if written.has("entry.recorded") { learn(index, .done(request.habit, due)) }
    }
  }

  private func skip(_ index: Int, _ habit: LifeHabit, _ known: LifeState) async throws {
    let date = oracle.today(now).adding(days: random.pick([0, 0, 1]))
    let written = try await store(index).skip(habit.id, on: .date(date))
    learnEndedSnoozes(index, habit, known, written)
    if written.has("day.marked") { learn(index, .skipped(habit.id, date, true)) }
  }

  /// Learns that done or skip cancelled the snoozes of a date that was done already.
  private func learnEndedSnoozes(
    _ index: Int, _ habit: LifeHabit, _ known: LifeState, _ written: Written
  ) {
    guard written.has("snooze.set") else { return }
    for named in known.snoozes.keys
    where named.habit == habit.id && oracle.due(named.nominal) == written.date {
      learn(index, .snooze(habit.id, named.nominal, until: nil))
    }
  }

  private func undo(_ index: Int, _ habit: LifeHabit, _ known: LifeState) async throws {
    let written = try await store(index).clear(habit.id)
    guard let date = written.date else { return fail("undo named no date") }
    if written.has("entry.voided") {
      learn(index, .undone(known.recordings[.init(habit: habit.id, date: date)] ?? []))
    }
    if written.has("day.marked") { learn(index, .skipped(habit.id, date, false)) }
  }

  private func pause(_ index: Int, _ habit: LifeHabit) async throws {
    let id = random.oneIn(4) ? nil : habit.id
    let first = oracle.today(now)
    let last = random.oneIn(3) ? nil : first.adding(days: random.pick([0, 1]))
    if let id {
      try await store(index).pause(id, to: last)
    } else {
      try await store(index).pauseAll(to: last)
    }
    pauseCount += 1
    learn(index, .pause(pauseCount, id, first: first, last: last))
  }

  /// Ends one habit's pauses, or all pauses that apply to all habits.
  private func resume(_ index: Int, _ known: LifeState) async throws {
    let today = oracle.today(now)
    let open = known.pauses.filter { $0.value.last.map { $0 >= today } ?? true }
    guard let one = open.keys.sorted().first, let pause = open[one] else { return }
    if let habit = pause.habit {
      try await store(index).resume(habit)
    } else {
      try await store(index).resumeAll()
    }
    for (number, other) in open where other.habit == pause.habit {
      learn(
        index,
        .pause(number, other.habit, first: other.first, last: today.adding(days: -1)))
    }
  }

  private func snooze(_ index: Int, _ habit: LifeHabit) async throws {
    let seconds = random.pick([900, 3_600, 7_200])
    let result = try await store(index).snooze(habit.id, for: .seconds(seconds))
    guard let reminder = result.reminder else { return }
    learn(index, .snooze(habit.id, reminder.occurrence.nominal, until: reminder.until))
  }

  private func edit(_ index: Int, _ habit: LifeHabit) async throws {
    var changed = habit
    changed.times = randomTimes()
    let times = changed.times
    let written = try await store(index).edit(habit.id) { $0.schedules[0].setTimes(times) }
    if written.has("schedule.set") { learn(index, .habit(changed)) }
  }

  private func archive(_ index: Int, _ habit: LifeHabit, _ known: LifeState) async throws {
    let isArchived = !known.archived.contains(habit.id)
    let store = store(index)
    let written =
      isArchived ? try await store.archive(habit.id) : try await store.unarchive(habit.id)
    if written.has("habit.archivedSet") { learn(index, .archived(habit.id, isArchived)) }
  }

  // MARK: - Habits

  private func randomTimes() -> [TimeOfDay] {
    // A time that a gap moves is used alone, so that it never coincides with another one.
    if plot.travels.isEmpty && random.oneIn(4) {
      return [random.pick(["02:30", "02:15", "01:45"])]
    }
    let times = (0..<random.pick([1, 1, 2, 3])).compactMap { _ in
      TimeOfDay(minute: 420 + 15 * Int.random(in: 0..<60, using: &random))
    }
    return Set(times).sorted()
  }

  private func randomHabit() -> LifeHabit {
    let today = oracle.today(now)
    let all = Weekday.allCases
    let dates: LifeHabit.Dates =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .everyDays(random.pick([1, 2, 3]), from: today.adding(days: -1))
      case 1: .once(today.adding(days: random.pick([0, 1, 3])))
      case 2: .weekly(Set(all.filter { _ in random.oneIn(2) } + [random.pick(all)]))
      default: .weekly(Set(all))
      }
    return LifeHabit(
      id: .random(using: &random), schedule: .random(using: &random), dates: dates,
      times: randomTimes(),
      zone: random.oneIn(5) ? .fixed("America/New_York") : .floating,
      isConditional: random.oneIn(2),
      owner: random.pick([.phoneFirst, .phoneFirst, .phone, .watch, .both]),
      quietPolicy: random.pick([.deferred, .deferred, .silent, .drop, .fire]),
      createdAt: now)
  }
}

extension Written {
  /// Whether an event of a type was written.
  func has(_ type: String) -> Bool { events.contains { $0.kind.name == type } }
}
