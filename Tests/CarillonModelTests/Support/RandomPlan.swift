import CarillonModel
import CarillonTestSupport
import Foundation

/// A random state with settings and a moment, made from a seed.
///
/// Mostly near an offset change.
struct RandomPlan {
  var fixture: PlanFixture
  var now: Instant
  var random: SeededGenerator
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
    setStore()
    if random.oneIn(2) { fixture.setLastActive(date(-9, 2)) }
    for _ in 0..<random.pick([0, 0, 0, 1, 2]) { addDevice() }
    let own = description(random.pick([.phone, .phone, .tablet, .watch, .desktop, .server]))
    fixture.state.devices[PlanFixture.device]?.description = random.oneIn(3) ? nil : own
    for _ in 0..<Int.random(in: 1...5, using: &random) { addHabit() }
    for _ in 0..<random.pick([0, 0, 1, 2]) { addPause() }
  }

  mutating func date(_ first: Int, _ last: Int) -> CivilDate {
    today.adding(days: Int.random(in: first...last, using: &random))
  }

  /// Returns a moment between `first` and `last` minutes after now.
  mutating func moment(_ first: Int, _ last: Int) -> Instant {
    Instant(
      milliseconds: now.milliseconds
        + Int64(Int.random(in: first...last, using: &random)) * 60_000)
  }

  private mutating func setStore() {
    fixture.dayStart = random.pick(["00:00", "00:00", "04:00", "02:30", "23:00"])
    if random.oneIn(2) {
      fixture.store.quietHours = DayWindow(
        from: random.pick(["22:00", "02:00", "02:30", "23:30", "12:00", "01:15"]),
        to: random.pick(["07:00", "02:15", "03:00", "00:00", "13:00", "02:45"]))
    }
    if random.oneIn(4) {
      fixture.store.digest = DigestRule(
        moreThan: random.pick([1, 2, 3]), within: .seconds(random.pick([60, 3_600, 20_000])))
    }
    fixture.store.asksToOpen = random.oneIn(4)
    fixture.store.staleHours = random.pick([1, 48, 48])
  }

  private mutating func addHabit() {
    var habit = Habit(id: .random(using: &random), title: "Habit", schedules: [])
    if random.oneIn(4) { habit.start = date(-3, 9) }
    if random.oneIn(6) { habit.end = date(-3, 9) }
    if random.oneIn(6) {
      habit.kind = .count
      habit.target = 2
      habit.direction = random.pick([.atLeast, .atMost])
    }
    if random.oneIn(4) {
      habit.goal = Quota(count: 2, per: .rolling(days: random.pick([1, 3, 30])))
    }
    habit.owner = random.pick([.phoneFirst, .phoneFirst, .phoneFirst, .phone, .watch, .both])
    habit.group = random.pick([nil, nil, "health", "work"])
    for _ in 0..<Int.random(in: 1...3, using: &random) { habit.schedules.append(schedule()) }
    fixture.state.habits[habit.id] = habit
    for schedule in habit.schedules where random.oneIn(4) {
      fixture.state.scheduleCreated[habit.id, default: [:]][schedule.id] = moment(-3_000, 20)
    }
    for _ in 0..<random.pick([0, 0, 1, 3]) { addSnooze(of: habit) }
    for _ in 0..<random.pick([0, 0, 1, 5]) { addReceipt(of: habit) }
    for _ in 0..<random.pick([0, 0, 1, 4, 12]) {
      let date = date(-9, 9)
      fixture.state.days[habit.id, default: [:]][date] = StoreState.Day(
        amount: 1, entryCount: random.pick([0, 1]), mark: random.pick([.skip, .no, .clear]))
      fixture.state.lastRecordings[habit.id, default: [:]][date] = event()
    }
    // A time further ahead does not count, which the reference plan does not know.
    if random.oneIn(3) {
      fixture.state.entryTimes[habit.id] = [moment(-3_000, 5), moment(-9_000, 5)]
    }
  }

  private mutating func addReceipt(of habit: Habit) {
    let schedule = random.pick(habit.schedules)
    let snooze = fixture.state.snoozes[habit.id]?.first?.until
    fixture.state.receipts[habit.id, default: []].insert(
      OccurrenceReceipt(
        OccurrenceID(
          habit: habit.id, schedule: schedule.id, nominal: nominal(of: schedule),
          revision: random.pick([
            .first, .first, .repeat(1), .snoozed(until: snooze ?? Instant(milliseconds: 7)),
          ])), random.pick([.submitted, .delivered, .acted]),
        fireAt: random.oneIn(2) ? now : nil, replica: PlanFixture.device))
  }

  /// Returns one of a few IDs of events.
  private mutating func event() -> EventID {
    EventID(words: (UInt64.random(in: 0..<8, using: &random), 0, 0, 0))
  }

  private mutating func addSnooze(of habit: Habit) {
    let schedule = random.pick(habit.schedules)
    let snooze = Snooze(
      schedule: schedule.id, nominal: nominal(of: schedule), number: random.pick([0, 0, 1]),
      until: random.oneIn(8) ? nil : moment(-300, random.pick([600, 3_000, 12_000])),
      ignoresQuietHours: random.oneIn(3), event: random.oneIn(4) ? nil : event())
    let known = fixture.state.snoozes[habit.id] ?? []
    let isKnown = known.contains {
      $0.schedule == snooze.schedule && $0.nominal == snooze.nominal && $0.number == snooze.number
    }
    if !isKnown { fixture.state.snoozes[habit.id] = known + [snooze] }
  }

  /// Returns a nominal time near the moment, which is often one of the schedule's.
  private mutating func nominal(of schedule: Schedule) -> CivilDateTime {
    if case .interval(let interval) = schedule.rule {
      let count = (now.milliseconds - interval.from.milliseconds) / Int64(interval.seconds) / 1_000
      let number = max(0, count + Int64.random(in: -3...3, using: &random))
      let seconds =
        (interval.from.milliseconds + number * Int64(interval.seconds) * 1_000) / 1_000
      let time = TimeOfDay(minute: Int(seconds / 60 % 1_440)) ?? .midnight
      return CivilDateTime(date: CivilDate(rawValue: Int32(seconds / 86_400)), time: time)
    }
    if case .recurrence(let recurrence) = schedule.rule, !recurrence.isDateOnly {
      return CivilDateTime(date: date(-2, 4), time: random.pick(recurrence.times))
    }
    return CivilDateTime(
      date: date(-2, random.pick([1, 9])),
      time: schedule.times.isEmpty ? .midnight : random.pick(schedule.times))
  }

  private mutating func addPause() {
    let first = date(-5, 10)
    let habit = random.oneIn(2) ? nil : random.pick(fixture.state.habits.keys.sorted())
    let pause = Pause(
      id: .random(using: &random), habit: habit, first: first,
      last: random.oneIn(3) ? nil : first.adding(days: Int.random(in: -1...6, using: &random)))
    fixture.state.pauses[pause.id] = pause
  }

  private func description(_ role: Device.Role) -> DeviceDescription {
    DeviceDescription(
      name: "device", role: role, zone: fixture.zone, zoneDataVersion: "", capacity: 64)
  }

  private mutating func addDevice() {
    var device = Device(replica: ReplicaID(high: UInt64(random.pick([0, 2])), low: random.next()))
    device.description = description(random.pick([.phone, .watch, .tablet, .desktop, .server]))
    device.describedBy = EventID(
      words: (UInt64(now.milliseconds - 3_600_000) << 16, 0, 0, random.next()))
    if random.oneIn(4) { device.description?.predecessor = PlanFixture.device }
    device.permission = Permission(status: random.pick([.authorized, .authorized, .denied]))
    device.alerts.isOn = !random.oneIn(5)
    device.lastSeen = random.pick([nil, moment(-6_000, 10), moment(-200, 0)])
    device.coverageUntil = random.pick([nil, nil, moment(-500, 500)])
    let seen = random.pick([nil, moment(-200, 0)])
    fixture.state.devices[PlanFixture.device]?.lastSeen = seen
    fixture.state.devices[device.replica] = device
  }
}
