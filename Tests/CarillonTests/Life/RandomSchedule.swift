import CarillonModel
import CarillonTestSupport

/// Random schedules with every rule and condition, around a date.
struct RandomSchedules {
  var random: SeededGenerator
  let today: CivilDate

  init(using random: inout SeededGenerator, around today: CivilDate) {
    self.random = SeededGenerator(seed: random.next())
    self.today = today
  }

  mutating func habit() -> Habit {
    var habit = Habit(id: .random(using: &random), title: "Habit", schedules: [])
    for _ in 0..<random.pick([1, 1, 2, 3]) { habit.schedules.append(schedule()) }
    change(&habit)
    return habit
  }

  /// Changes the fields of a habit on which planning depends.
  mutating func change(_ habit: inout Habit) {
    habit.owner = random.pick([.phoneFirst, .phoneFirst, .phoneFirst, .phone, .watch, .both])
    habit.group = random.pick([nil, nil, "health"])
    habit.start = random.oneIn(4) ? date(-3, 3) : nil
    habit.end = random.oneIn(6) ? date(3, 9) : nil
    habit.goal =
      random.oneIn(3) ? Quota(count: 2, per: .rolling(days: random.pick([1, 3, 30]))) : nil
    guard random.oneIn(4) else { return }
    habit.kind = .count
    habit.target = 2
    habit.direction = random.pick([.atLeast, .atMost])
  }

  mutating func schedule() -> Schedule {
    let rule = rule()
    var schedule = Schedule(
      id: .random(using: &random), rule: rule, times: rule.takesTimes ? times() : [],
      zone: random.oneIn(4) ? .fixed(random.pick(["America/New_York", "Asia/Tokyo"])) : .floating,
      unless: random.pick([.none, .none, .done, .done, .quota, .entry]),
      quietPolicy: random.pick([.deferred, .deferred, .silent, .drop]),
      stopAfterDays: random.pick([nil, nil, nil, 0, 5]))
    if case .recurrence = rule { schedule.zone = .floating }
    if schedule.unless.contains(.quota), random.oneIn(2) {
      schedule.quota = Quota(count: 2, per: random.pick([.day, .week, .month, .rolling(days: 4)]))
    }
    if random.oneIn(8) { schedule.doneWithinSeconds = random.pick([600, 40_000]) }
    return schedule
  }

  mutating func times() -> [TimeOfDay] {
    (0..<random.pick([1, 1, 2, 4])).compactMap { _ in
      TimeOfDay(minute: random.pick([150, 120, 1_410, Int.random(in: 0..<1_440, using: &random)]))
    }
  }

  private mutating func date(_ first: Int, _ last: Int) -> CivilDate {
    today.adding(days: Int.random(in: first...last, using: &random))
  }

  private mutating func rule() -> Schedule.Rule {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: interval()
    case 1, 2: .recurrence(recurrence())
    case 3: relative()
    case 4: .place(Schedule.Region(latitude: 52_520_000, longitude: 13_405_000, radius: 200))
    default: dates()
    }
  }

  private mutating func dates() -> Schedule.Rule {
    let all = Weekday.allCases
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .once(date(0, 6))
    case 1: return .everyDays(random.pick([1, 2, 3]), from: date(-9, 3))
    case 2, 3: return .weekly(Set(all))
    default: return .weekly(Set(all.filter { _ in random.oneIn(2) } + [random.pick(all)]))
    }
  }

  private mutating func interval() -> Schedule.Rule {
    let midnight = Int64(date(-4, 1).rawValue) * 86_400_000
    let from = Instant(
      milliseconds: midnight + 60_000 * Int64.random(in: 0..<1_440, using: &random))
    return .interval(
      Schedule.Interval(
        seconds: random.pick([3_600, 5_400, 14_400, 86_400]), from: from,
        window: random.pick([nil, nil, DayWindow(from: "08:00", to: "20:00")])))
  }

  private mutating func relative() -> Schedule.Rule {
    let count = random.pick([0, 0, 1, 2])
    return .relative(
      Schedule.Relative(
        to: dates(), edge: random.pick([.start, .end]),
        offsetSeconds: random.pick([-86_400, -1_800, 0, 3_600]),
        durationMinutes: random.pick([0, 60]), repeatCount: count,
        repeatSeconds: count == 0 ? 0 : random.pick([300, 7_200])))
  }

  private mutating func recurrence() -> Recurrence {
    let start = "\(date(-20, 2))".replacing("-", with: "")
    let rule = random.pick([
      "FREQ=DAILY", "FREQ=DAILY;COUNT=30", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY",
      "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=DAILY;INTERVAL=2",
    ])
    let head =
      random.oneIn(2)
      ? "DTSTART;VALUE=DATE:\(start)" : "DTSTART:\(start)T\(random.pick(["0230", "1700"]))00"
    guard let recurrence = Recurrence("\(head)\nRRULE:\(rule)") else {
      preconditionFailure("no recurrence: \(head) \(rule)")
    }
    return recurrence
  }
}

extension Schedule.Rule {
  /// Whether the rule uses the times of the schedule.
  fileprivate var takesTimes: Bool {
    switch self {
    case .interval, .place: false
    case .recurrence(let recurrence): recurrence.isDateOnly
    case .once, .weekly, .everyDays, .relative, .unknown: true
    }
  }
}
