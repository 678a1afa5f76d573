import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// 2026-11-23 is today, a Monday.
@Suite("Adherence")
struct AdherenceTests {
  private static let today: CivilDate = "2026-11-23"
  private static let done = StoreState.Day(amount: 1, entryCount: 1)

  private func adherence(
    of habit: Habit = Habit("Walk"), created: CivilDate? = nil, _ days: StoreState.Days,
    pauses: [Pause] = [], today: CivilDate = today, zone: String = "Europe/Berlin"
  ) throws -> Adherence {
    Adherence(
      of: habit, created: created ?? today, days: days, pauses: pauses, today: today,
      calendar: CivilCalendar(zone: try #require(TimeZone(identifier: zone))))
  }

  private func done(_ dates: CivilDate...) -> StoreState.Days {
    StoreState.Days(dates.map { ($0, Self.done) })
  }

  @Test("Without facts there is no streak, and today is open")
  func nothing() throws {
    let adherence = try adherence([:])
    #expect(adherence.streak == nil && adherence.longest == nil)
    #expect(adherence.first == Self.today && adherence.days == [.open])
    #expect(adherence[Self.today.adding(days: -1)] == .idle)
  }

  @Test("Without a start, counting begins with the creation or an earlier fact")
  func creation() throws {
    let never = try adherence(created: "2026-11-20", [:])
    #expect(never.days == [.missed, .missed, .missed, .open])
    let earlier = try adherence(created: "2026-11-22", done("2026-11-20"))
    #expect(earlier.days == [.done, .missed, .missed, .open])
    var habit = Habit("Walk")
    habit.start = "2026-11-22"
    #expect(try adherence(of: habit, created: "2026-11-20", [:]).days == [.missed, .open])
    let ahead = try adherence(created: "2026-11-25", [:])
    #expect(ahead.first == Self.today)
  }

  @Test("Since a date, each date and week is as in the whole", arguments: TestSeed.first(40))
  func since(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let schedules: [[Schedule]] = [
      [], [.daily(at: ["08:00"])], [.weekly(on: [.monday, .thursday], at: ["08:00"])],
      [.every(days: 3, from: "2026-10-02", at: ["08:00", "20:00"])],
    ]
    let goals: [Quota?] = [nil, Quota("3/week"), Quota("2/5d"), Quota("9/month")]
    var habit = Habit("Walk")
    habit.schedules = try #require(schedules.randomElement(using: &random))
    habit.goal = try #require(goals.randomElement(using: &random))
    let created = Self.today.adding(days: -Int.random(in: 0...60, using: &random))
    let known = StoreState.Days(
      (0..<70).filter { _ in Bool.random(using: &random) }
        .map { (Self.today.adding(days: -$0), Self.done) })
    let whole = try adherence(of: habit, created: created, known)
    let since = Self.today.adding(days: -Int.random(in: 0...50, using: &random))
    let from = since.adding(days: 1 - (habit.countedGoal?.period.length ?? 1))
    let part = Adherence(
      of: habit, created: min(created, known.first?.date ?? created),
      days: StoreState.Days(known.filter { $0.date >= from }), pauses: [], today: Self.today,
      calendar: CivilCalendar(zone: try #require(TimeZone(identifier: "Europe/Berlin"))),
      since: since)
    #expect(part.first == max(since, whole.first), "seed \(seed)")
    for date in since...Self.today {
      #expect(part[date] == whole[date], "seed \(seed), \(date)")
      let monday = date.adding(days: 1 - Int(date.weekday.rawValue))
      if monday >= since {
        #expect(part.week(of: date) == whole.week(of: date), "seed \(seed), \(date)")
      }
    }
  }

  @Test("A date of which every time had passed when its reminder was added is not missed")
  func addedLater() throws {
    let calendar = CivilCalendar(zone: try #require(TimeZone(identifier: "Europe/Berlin")))
    func days(
      _ schedule: Schedule, addedAt time: TimeOfDay, today: CivilDate = "2026-11-25"
    ) throws -> [Adherence.Day] {
      let habit = Habit("Walk", schedule)
      let added = try #require(
        calendar.instant(of: CivilDateTime(date: "2026-11-23", time: time)))
      return Adherence(
        of: habit, created: "2026-11-23", schedules: [schedule.id: added], days: [:], pauses: [],
        today: today, calendar: calendar
      ).days
    }
    #expect(try days(.daily(at: ["08:00"]), addedAt: "12:00") == [.idle, .missed, .open])
    #expect(try days(.daily(at: ["08:00"]), addedAt: "12:00", today: "2026-11-23") == [.open])
    #expect(try days(.daily(at: ["08:00"]), addedAt: "07:00") == [.missed, .missed, .open])
    #expect(try days(.daily(at: ["08:00", "18:00"]), addedAt: "12:00").first == .missed)
    #expect(try days(.daily(at: []), addedAt: "12:00").first == .missed)
  }

  @Test("A goal per week covers the calendar week, and one of seven days any seven days")
  func weekAndSevenDays() throws {
    // Friday to Sunday of one week, and Monday of the next: three in seven days, two a week.
    let days = done("2026-11-13", "2026-11-15", "2026-11-16")
    var habit = Habit("Run")
    habit.start = "2026-11-09"
    habit.goal = Quota("3/week")
    let weekly = try adherence(of: habit, days)
    #expect(weekly.days.contains(.covered) == false && weekly["2026-11-14"] == .missed)
    #expect(weekly.weeks(3).map(\.done) == [2, 1, 0] && weekly.weeks(3).map(\.due) == [3, 3, 3])
    habit.goal = Quota("3/7d")
    let rolling = try adherence(of: habit, days)
    #expect(rolling["2026-11-14"] == .covered && rolling["2026-11-19"] == .covered)
    #expect(rolling.streak != nil && weekly.streak == nil)
  }

  @Test("A streak does not end before today is over")
  func open() throws {
    let adherence = try adherence(done("2026-11-20", "2026-11-21", "2026-11-22"))
    #expect(adherence.streak?.length == 3)
    #expect(adherence.streak?.dates == "2026-11-20"..."2026-11-22")
    let tomorrow = try self.adherence(
      done("2026-11-20", "2026-11-21", "2026-11-22"), today: "2026-11-24")
    #expect(tomorrow.streak == nil)
    #expect(tomorrow.longest?.length == 3)
    #expect(tomorrow.days == [.done, .done, .done, .missed, .open])
  }

  @Test("A skip, a pause and a date that is not due neither break a streak nor count")
  func passingThrough() throws {
    var habit = Habit("Walk", .weekly(on: [.monday, .friday], at: ["07:30"], unless: .done))
    habit.start = "2026-11-02"
    var days = done("2026-11-02", "2026-11-06", "2026-11-23")
    days["2026-11-09"] = StoreState.Day(mark: .skip)
    let pause = Pause(habit: habit.id, first: "2026-11-10", last: "2026-11-22")
    let adherence = try adherence(of: habit, days, pauses: [pause])
    #expect(adherence.streak?.length == 3)
    #expect(adherence.streak?.dates == "2026-11-02"..."2026-11-23")
    #expect(adherence["2026-11-03"] == .idle)
    #expect(adherence["2026-11-09"] == .skipped)
    #expect(adherence["2026-11-13"] == .paused)
    let others = Pause(habit: Habit("Other").id, first: "2026-11-10", last: nil)
    #expect(try self.adherence(of: habit, days, pauses: [others]).streak?.length == 1)
  }

  @Test("Done takes precedence over a skip of the same date")
  func doneBeatsSkip() throws {
    let day = StoreState.Day(amount: 1, entryCount: 1, mark: .skip)
    #expect(try adherence(["2026-11-22": day]).streak?.length == 1)
  }

  @Test("A date that the zone skips neither breaks a streak nor counts")
  func absent() throws {
    let adherence = try adherence(
      done("2011-12-28", "2011-12-29", "2011-12-31"), today: "2011-12-31", zone: "Pacific/Apia")
    #expect(adherence.days == [.done, .done, .absent, .done])
    #expect(adherence.streak?.length == 3)
  }

  @Test("A goal of three in seven days covers every range in which it was reached")
  func goal() throws {
    var habit = Habit("Run")
    habit.goal = Quota(count: 3, per: .rolling(days: 7))
    let days = done("2026-11-02", "2026-11-04", "2026-11-06", "2026-11-20")
    let adherence = try adherence(of: habit, days)
    #expect(adherence["2026-11-03"] == .covered)
    #expect(adherence["2026-11-08"] == .covered)
    #expect(adherence["2026-11-09"] == .missed)
    #expect(adherence["2026-11-16"] == .missed)
    #expect(adherence["2026-11-17"] == .idle && adherence["2026-11-23"] == .open)
    #expect(adherence.longest?.length == 7)
    #expect(adherence.streak?.length == 1)
  }

  @Test(
    "With a goal over several days, a week and a month owe their share of it",
    arguments: [
      // 24 dates of October and 22 past dates of November count, which owe 10.3 and 9.4. The
      // current week owes the goal in full.
      (Quota(count: 3, per: .rolling(days: 7)), [], [3, 3, 3], [10, 9]),
      (
        Quota(count: 3, per: .rolling(days: 7)), ["2026-11-16", "2026-11-18", "2026-11-20"],
        [3, 3, 3], [10, 9]
      ),
      // More than the goal; today counts once it is done: 23 dates owe 6.6, of which 6 are due.
      (
        Quota(count: 2, per: .rolling(days: 7)),
        ["2026-11-16", "2026-11-18", "2026-11-20", "2026-11-23"],
        [2, 3, 2], [7, 6]
      ),
      // A goal of once a month owes nothing in a week, and the current month owes it in full.
      (Quota(count: 1, per: .rolling(days: 30)), [], [0, 0, 0], [1, 1]),
    ] as [(Quota?, [CivilDate], [Int], [Int])])
  func shares(goal: Quota?, dates: [CivilDate], weeks: [Int], months: [Int]) throws {
    var habit = Habit("Run")
    (habit.goal, habit.start) = (goal, "2026-10-08")
    let days = StoreState.Days(dates.map { ($0, Self.done) })
    let adherence = try adherence(of: habit, days)
    #expect(adherence.weeks(3).map(\.due) == weeks)
    #expect(adherence.months(2).map(\.due) == months)
    #expect(adherence.months(2).last?.done == dates.count)
  }

  @Test("A goal in reach is undecided until its week is over, and no past date of it is open")
  func undecided() throws {
    var habit = Habit("Run")
    (habit.goal, habit.start) = (Quota(count: 3, per: .rolling(days: 7)), "2026-11-23")
    let tuesday = try adherence(of: habit, done("2026-11-23"), today: "2026-11-24")
    #expect(tuesday.days == [.done, .open])
    let week = tuesday.weeks(1)[0]
    #expect(week.done == 1 && week.due == 3 && week.isUndecided)
    let friday = try adherence(of: habit, done("2026-11-25"), today: "2026-11-27")
    #expect(friday.days == [.idle, .idle, .done, .idle, .open])
    let met = try adherence(
      of: habit, done("2026-11-23", "2026-11-25", "2026-11-26"), today: "2026-11-27")
    #expect(met.days == [.done, .covered, .done, .done, .covered])
    #expect(!met.weeks(1)[0].isUndecided)
    let monday = try adherence(of: habit, done("2026-11-23"), today: "2026-11-30")
    #expect(monday.days.dropLast().allSatisfy { $0 != .open } && monday.days.last == .open)
    #expect(monday.weeks(2).map(\.isUndecided) == [false, true])
    #expect(monday.weeks(2).map(\.due) == [3, 3])
  }

  @Test("Paused and skipped dates owe no share of a goal")
  func pausedShare() throws {
    var habit = Habit("Run")
    (habit.goal, habit.start) = (Quota(count: 7, per: .rolling(days: 14)), "2026-11-09")
    let pause = Pause(habit: nil, first: "2026-11-09", last: "2026-11-12")
    let adherence = try adherence(
      of: habit, ["2026-11-16": StoreState.Day(mark: .skip)], pauses: [pause])
    #expect(adherence.weeks(3).map(\.due) == [2, 3, 0])
  }

  @Test("A goal of two a day is reached only with both")
  func twice() throws {
    var habit = Habit("Range")
    habit.goal = Quota(count: 2, per: .rolling(days: 1))
    let adherence = try adherence(
      of: habit,
      ["2026-11-21": StoreState.Day(amount: 2, entryCount: 2), "2026-11-22": Self.done])
    #expect(adherence.days == [.done, .missed, .open])
  }

  @Test("A habit with a maximum is kept once the date is over, unless more was recorded")
  func atMost() throws {
    var habit = Habit("Coffee")
    (habit.kind, habit.direction, habit.target) = (.count, .atMost, 5)
    let adherence = try adherence(
      of: habit,
      [
        "2026-11-20": StoreState.Day(amount: 6, entryCount: 2),
        "2026-11-21": StoreState.Day(amount: 5, entryCount: 1),
      ])
    #expect(adherence.days == [.missed, .done, .done, .open])
    let exceeded = try self.adherence(
      of: habit, ["2026-11-23": StoreState.Day(amount: 6, entryCount: 2)])
    #expect(exceeded.days.last == .missed)
  }

  @Test("Weeks start on Monday, months on the first, and both end today")
  func periods() throws {
    var days = done("2026-10-31", "2026-11-16", "2026-11-18", "2026-11-23")
    days["2026-11-17"] = StoreState.Day(mark: .skip)
    let adherence = try adherence(days)
    let weeks = adherence.weeks(2)
    #expect(weeks.map(\.dates) == ["2026-11-16"..."2026-11-22", "2026-11-23"..."2026-11-23"])
    #expect(weeks.map(\.done) == [2, 1])
    #expect(weeks.map(\.due) == [6, 1])
    let months = adherence.months(3)
    #expect(
      months.map(\.dates) == [
        "2026-09-01"..."2026-09-30", "2026-10-01"..."2026-10-31", "2026-11-01"..."2026-11-23",
      ])
    #expect(months.map(\.done) == [0, 1, 3])
    #expect(months.map(\.due) == [0, 1, 22])
  }

  @Test("A quota is a goal: once it is met, the rest of its week is covered")
  func weeklyQuota() throws {
    var habit = Habit("Gym", .daily(at: ["18:00"], unless: .quota))
    habit.schedules[0].quota = Quota("3/week")
    let adherence = try adherence(
      of: habit, created: "2026-11-09",
      done("2026-11-09", "2026-11-10", "2026-11-11", "2026-11-16", "2026-11-17", "2026-11-18"),
      today: "2026-11-19")
    #expect(
      adherence.days == [
        .done, .done, .done, .covered, .covered, .covered, .covered, .done, .done, .done, .covered,
      ])
    #expect(adherence.streak?.length == 11)
    #expect(adherence.weeks(2).map(\.done) == [3, 3] && adherence.weeks(2).map(\.due) == [3, 3])
    let missed = try self.adherence(
      of: habit, created: "2026-11-09", done("2026-11-09", "2026-11-16"), today: "2026-11-16")
    #expect(missed.days.prefix(8) == [.done] + Array(repeating: .missed, count: 6) + [.done])
    #expect(missed.weeks(2).map(\.done) == [1, 1] && missed.weeks(2).map(\.due) == [3, 3])
  }

  @Test("A monthly quota covers its month, and the current month owes it in full")
  func monthlyQuota() throws {
    var habit = Habit("Call", .daily(at: ["18:00"], unless: .quota))
    habit.schedules[0].quota = Quota("2/month")
    let adherence = try adherence(
      of: habit, created: "2026-10-01", done("2026-10-03", "2026-10-30", "2026-11-02"))
    #expect(adherence["2026-10-01"] == .covered && adherence["2026-10-31"] == .covered)
    #expect(adherence["2026-11-01"] == .idle)
    #expect(adherence.months(2).map(\.done) == [2, 1])
    #expect(adherence.months(2).map(\.due) == [2, 2])
  }

  @Test("A quota that not all schedules share is no goal, and neither is one for a day")
  func quotasApart() {
    var habit = Habit("Gym", .daily(at: ["18:00"]), .daily(at: ["07:00"]))
    (habit.schedules[0].unless, habit.schedules[0].quota) = (.quota, Quota("3/week"))
    #expect(habit.countedGoal == nil)
    (habit.schedules[1].unless, habit.schedules[1].quota) = (.quota, Quota("3/week"))
    #expect(habit.countedGoal == Quota("3/week"))
    habit.schedules.removeLast()
    habit.schedules[0].quota = Quota("3/day")
    #expect(habit.countedGoal == nil)
    habit.goal = Quota(count: 2, per: .rolling(days: 7))
    #expect(habit.countedGoal == Quota("2/7d"))
  }

  @Test("With a goal and weekdays, the other days are not due")
  func goalOnWeekdays() throws {
    var habit = Habit(
      "Stretch", .weekly(on: [.monday, .tuesday, .wednesday, .thursday, .friday], at: ["11:00"]))
    habit.goal = Quota(count: 5, per: .rolling(days: 7))
    let adherence = try adherence(
      of: habit, created: "2026-11-16", done("2026-11-16", "2026-11-17"), today: "2026-11-22")
    #expect(adherence.days == [.done, .done, .idle, .idle, .idle, .idle, .idle])
    #expect(adherence.weeks(1)[0].due == 5)
  }

  @Test("Done late, a monthly habit is kept, and its month still has one due date")
  func lateInMonth() throws {
    let monthly = try #require(Recurrence("DTSTART:20260901T090000\nRRULE:FREQ=MONTHLY"))
    var habit = Habit("Rent", Schedule(rule: .recurrence(monthly), times: []))
    habit.start = "2026-09-01"
    let adherence = try adherence(
      of: habit, done("2026-09-01", "2026-10-02", "2026-11-01"))
    #expect(adherence["2026-10-01"] == .late && adherence["2026-10-02"] == .done)
    #expect(adherence.streak?.length == 3 && adherence.streak?.dates == "2026-09-01"..."2026-11-01")
    #expect(adherence.months(3).map(\.done) == [1, 1, 1])
    #expect(adherence.months(3).map(\.due) == [1, 1, 1])
    let open = try self.adherence(of: habit, done("2026-09-01", "2026-10-01"))
    #expect(open["2026-11-01"] == .open && open.streak?.length == 2)
  }

  @Test("One late completion keeps one due date, and the next due date ends the time for it")
  func lateOnce() throws {
    var habit = Habit("Plants", .every(days: 3, from: "2026-11-01", at: ["09:00"]))
    habit.start = "2026-11-01"
    let adherence = try adherence(
      of: habit, done("2026-11-02", "2026-11-03", "2026-11-07", "2026-11-12"), today: "2026-11-14")
    #expect(
      adherence.days == [
        .late, .done, .done, .missed, .idle, .idle, .done, .idle, .idle, .late, .idle, .done, .open,
        .idle,
      ])
    #expect(adherence.months(1)[0].done == 3 && adherence.months(1)[0].due == 4)
    #expect(adherence.streak?.length == 2 && adherence.longest?.length == 2)
  }

  @Test("A maximum counts on due dates only")
  func lateMaximum() throws {
    var habit = Habit("Coffee", .every(days: 3, from: "2026-11-01", at: ["09:00"]))
    (habit.kind, habit.direction, habit.target) = (.count, .atMost, 5)
    habit.start = "2026-11-01"
    let adherence = try adherence(of: habit, done("2026-11-02"), today: "2026-11-03")
    #expect(adherence.days == [.done, .idle, .idle])
  }

  @Test("Dates before the start and after the end do not count")
  func bounds() throws {
    var habit = Habit("Course")
    (habit.start, habit.end) = ("2026-11-10", "2026-11-12")
    let adherence = try adherence(
      of: habit, done("2026-11-08", "2026-11-10", "2026-11-11", "2026-11-12"))
    #expect(adherence.first == "2026-11-10")
    #expect(adherence.streak?.length == 3)
    #expect(adherence["2026-11-20"] == .idle)
  }
}
