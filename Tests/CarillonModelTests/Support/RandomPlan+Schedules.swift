import CarillonModel
import CarillonTestSupport
import Foundation

extension RandomPlan {
  /// Creates a random state far from offset changes, without quiet hours, with few or no facts of
  /// most habits.
  init(plain seed: UInt64) {
    self.init(seed: seed, changes: [:])
    (fixture.store.quietHours, fixture.store.digest) = (nil, nil)
    if random.oneIn(2) { fixture.state.pauses = [:] }
    for id in fixture.state.habits.keys.sorted() where !random.oneIn(4) {
      fixture.state.days[id] = nil
      fixture.state.receipts[id] = nil
      fixture.state.snoozes[id] = nil
      fixture.state.habits[id]?.start = nil
      fixture.state.habits[id]?.end = nil
      let schedules = fixture.state.habits[id]?.schedules ?? []
      for (index, var schedule) in schedules.enumerated() where !random.oneIn(8) {
        schedule.zone = .floating
        schedule.doneWithinSeconds = nil
        schedule.rule = dates()
        fixture.state.habits[id]?.schedules[index] = schedule
      }
    }
  }

  mutating func schedule() -> Schedule {
    let early = Int.random(in: 0..<240, using: &random)
    let times = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      random.pick([early, 150, 210, 120, 30, 1_410, Int.random(in: 0..<1_440, using: &random)])
    }
    var schedule = Schedule(
      id: .random(using: &random), rule: rule(),
      times: times.compactMap { TimeOfDay(minute: $0) },
      zone: random.oneIn(3) ? .fixed(random.pick(Self.zones)) : .floating,
      unless: random.pick([.none, .none, .none, .done, .quota, .entry, [.done, .entry]]),
      quietPolicy: random.pick([.deferred, .deferred, .silent, .drop, .fire]),
      stopAfterDays: random.pick([nil, nil, nil, 0, 5]))
    if random.oneIn(3) {
      let period = random.pick(
        [.day, .week, .month, .rolling(days: 1), .rolling(days: 5)] as [Quota.Period])
      schedule.quota = Quota(count: random.pick([1, 2]), per: period)
    }
    if random.oneIn(8) { schedule.doneWithinSeconds = random.pick([600, 40_000]) }
    return schedule
  }

  private mutating func rule() -> Schedule.Rule {
    switch Int.random(in: 0..<14, using: &random) {
    case 0: .interval(interval())
    case 1, 2: .recurrence(recurrence())
    case 3, 4: .relative(relative())
    case 5:
      .place(
        Schedule.Region(latitude: 52_520_000, longitude: Int32(random.pick([0, 1])), radius: 200))
    default: dates()
    }
  }

  private mutating func dates() -> Schedule.Rule {
    let all = Weekday.allCases
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .once(date(-2, 12))
    case 1: return .everyDays(random.pick([1, 1, 2, 3, 10]), from: date(-30, 6))
    case 2: return .weekly(Set(all))
    default: return .weekly(Set(all.filter { _ in random.oneIn(2) } + [random.pick(all)]))
    }
  }

  private mutating func interval() -> Schedule.Interval {
    let anchor = random.pick([nil, nil, Schedule.Interval.Anchor.entry, .entryOrFrom])
    guard anchor == nil else {
      return Schedule.Interval(
        seconds: random.pick([1_200, 14_400, 86_400, 200_000]), from: moment(-4_000, 900),
        anchor: anchor)
    }
    return Schedule.Interval(
      seconds: random.pick([3_600, 5_400, 14_400, 86_400, 36_000, 1_200]),
      from: moment(-9_000, 900),
      window: random.pick([
        nil, nil, DayWindow(from: "08:00", to: "20:00"), DayWindow(from: "22:00", to: "02:30"),
      ]))
  }

  private mutating func relative() -> Schedule.Relative {
    let count = random.pick([0, 0, 1, 3])
    return Schedule.Relative(
      to: random.oneIn(4) ? .recurrence(recurrence()) : dates(),
      edge: random.pick([.start, .end]),
      offsetSeconds: random.pick([-86_400, -1_800, 0, 90, 3_600, 200_000]),
      durationMinutes: random.pick([0, 60]), repeatCount: count,
      repeatSeconds: count == 0 ? 0 : random.pick([300, 7_200, 50_000]))
  }

  private mutating func recurrence() -> Recurrence {
    let start = date(-40, 3)
    let (_, _, day) = start.components
    let compact = "\(start)".replacing("-", with: "")
    let rule = random.pick([
      "FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=DAILY;COUNT=42", "FREQ=WEEKLY;BYDAY=MO,TH",
      "FREQ=MONTHLY;BYDAY=2TU,FR", "FREQ=MONTHLY", "FREQ=MONTHLY;BYMONTHDAY=-1",
      "FREQ=MONTHLY;BYMONTHDAY=\(day)", "FREQ=YEARLY", "FREQ=DAILY;BYDAY=SA,SU",
    ])
    let isDateOnly = random.oneIn(2)
    let time = random.pick(["T023000", "T001500", "T170000", "T233000"])
    let head = isDateOnly ? "DTSTART;VALUE=DATE:\(compact)" : "DTSTART:\(compact)\(time)"
    let rest = random.oneIn(3) && !isDateOnly ? ";BYHOUR=2,17;BYMINUTE=30" : ""
    let except =
      random.oneIn(4) ? "\nEXDATE;VALUE=DATE:" + "\(date(0, 3))".replacing("-", with: "") : ""
    guard let recurrence = Recurrence("\(head)\nRRULE:\(rule)\(rest)\(except)") else {
      preconditionFailure("invalid recurrence \(head) \(rule)\(rest)\(except)")
    }
    return recurrence
  }
}
