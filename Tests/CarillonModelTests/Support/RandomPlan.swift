import CarillonModel
import CarillonTesting
import Foundation

/// A state with settings and a moment, made from a seed; mostly near an offset change.
struct RandomPlan {
  var fixture: PlanFixture
  var now: Instant
  private var random: SeededGenerator
  private var today: CivilDate

  var planner: Planner { fixture.planner(at: now) }

  static let zones = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia",
    "America/Scoresbysund", "America/St_Johns", "Africa/Casablanca", "Asia/Kathmandu",
    "Africa/Cairo", "America/Havana", "Antarctica/Troll", "Pacific/Chatham", "UTC", "Asia/Gaza",
    "America/Nuuk", "America/Sao_Paulo",
  ]

  init(seed: UInt64, changes: [String: [Int]]) {
    random = SeededGenerator(seed: seed)
    let zone = random.pick(Self.zones)
    let near = random.pick(changes[zone] ?? [20_000_000])
    let minute = near + Int.random(in: -4_000...1_500, using: &random)
    now = Instant(milliseconds: Int64(minute) * 60_000 + Int64(random.pick([0, 0, 1, 59_999])))
    today = CivilDate(rawValue: Int32(minute / 1_440))
    fixture = PlanFixture(zone)
    fixture.horizonDays = random.pick([1, 2, 7, 8, 8, 8, 12, 30])
    fixture.capacity = random.pick([0, 1, 5, 64, 64, 64, 1_000])
    fixture.dayStart = random.pick(["00:00", "00:00", "04:00", "02:30", "23:00"])
    if random.oneIn(2) { fixture.setLastActive(date(-9, 2)) }
    for _ in 0..<Int.random(in: 1...6, using: &random) { addHabit() }
    for _ in 0..<random.pick([0, 0, 1, 2]) { addPause() }
  }

  private mutating func date(_ first: Int, _ last: Int) -> CivilDate {
    today.adding(days: Int.random(in: first...last, using: &random))
  }

  private mutating func addHabit() {
    var habit = Habit(id: .random(using: &random), title: "Habit", slots: [])
    if random.oneIn(4) { habit.start = date(-3, 9) }
    if random.oneIn(6) { habit.end = date(-3, 9) }
    if random.oneIn(6) {
      habit.kind = .count
      habit.target = 2_000
      habit.direction = random.pick([.atLeast, .atMost])
    }
    for _ in 0..<Int.random(in: 1...3, using: &random) { habit.slots.append(slot()) }
    fixture.state.habits[habit.id] = habit
    for _ in 0..<random.pick([0, 0, 1, 5]) { addReceipt(of: habit) }
    for _ in 0..<random.pick([0, 0, 1, 4]) {
      fixture.state.days[habit.id, default: [:]][date(-2, 9)] = State.Day(
        amount: 1_000, entryCount: random.pick([0, 1]), mark: random.pick([.skip, .no, .clear]))
    }
  }

  private mutating func addReceipt(of habit: Habit) {
    let slot = random.pick(habit.slots)
    fixture.state.receipts[habit.id, default: []].insert(
      OccurrenceReceipt(
        slot: slot.id,
        nominal: CivilDateTime(date: date(-2, 9), time: random.pick(slot.times)),
        revision: random.oneIn(5) ? "7" : "0",
        state: random.pick([.submitted, .delivered, .acted]),
        fireAt: random.oneIn(2) ? now : nil, replica: PlanFixture.device))
  }

  private mutating func slot() -> Slot {
    let early = Int.random(in: 0..<240, using: &random)
    let times = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      random.pick([early, 150, 210, 120, 30, 1_410, Int.random(in: 0..<1_440, using: &random)])
    }
    return Slot(
      id: .random(using: &random), rule: rule(),
      times: times.compactMap { TimeOfDay(minute: $0) },
      zone: random.oneIn(3) ? .fixed(random.pick(Self.zones)) : .floating,
      unless: random.oneIn(3) ? .done : .none, stopAfterDays: random.pick([nil, nil, nil, 0, 5]))
  }

  private mutating func rule() -> Rule {
    let all = Weekday.allCases
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .once(date(-2, 12))
    case 1: return .everyDays(random.pick([1, 1, 2, 3, 10]), from: date(-30, 6))
    case 2: return .weekly(Set(all))
    default: return .weekly(Set(all.filter { _ in random.oneIn(2) } + [random.pick(all)]))
    }
  }

  private mutating func addPause() {
    let first = date(-5, 10)
    let habit = random.oneIn(2) ? nil : random.pick(fixture.state.habits.keys.sorted())
    let pause = Pause(
      id: .random(using: &random), habit: habit, first: first,
      last: random.oneIn(3) ? nil : first.adding(days: Int.random(in: -1...6, using: &random)))
    fixture.state.pauses[pause.id] = pause
  }
}
