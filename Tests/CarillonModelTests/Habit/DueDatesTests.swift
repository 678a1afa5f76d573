import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// The dates on which a habit is due.
///
/// 2026-11-02 is a Monday.
@Suite("Due days")
struct DueDatesTests {
  private static let first: CivilDate = "2026-11-02"
  private static let last: CivilDate = "2026-11-15"

  /// Returns the days of two weeks on which a habit with these schedules was missed or is open.
  private func due(
    _ schedules: Schedule..., dayStart: TimeOfDay = .midnight, start: CivilDate = first
  ) throws -> [Int] {
    var habit = Habit(id: .random(), title: "Walk", schedules: schedules)
    habit.start = start
    let adherence = Adherence(
      of: habit, created: start, days: [:], pauses: [], today: Self.last, dayStart: dayStart,
      calendar: CivilCalendar(zone: try #require(TimeZone(identifier: "Europe/Berlin"))))
    return (0..<14).map { Self.first.adding(days: $0) }
      .filter { [.missed, .open].contains(adherence[$0]) }.map(\.components.day)
  }

  private func rule(_ text: String) throws -> Schedule {
    Schedule(rule: .recurrence(try Recurrence(parsing: text)), times: [])
  }

  @Test("A recurrence with its own times is due only on its dates")
  func timedRecurrence() throws {
    #expect(try due(rule("DTSTART:20261103T090000\nRRULE:FREQ=WEEKLY;BYDAY=TU")) == [3, 10])
    #expect(
      try due(rule("DTSTART;TZID=Asia/Tokyo:20261104T010000\nRRULE:FREQ=DAILY;COUNT=2")) == [4, 5])
    #expect(
      try due(
        rule(
          "DTSTART:20261103T090000\nRRULE:FREQ=DAILY;UNTIL=20261107T090000\n"
            + "EXDATE:20261105T090000"))
        == [3, 4, 6, 7])
  }

  @Test("A relative schedule is due on the dates of its base rule, whenever it fires")
  func relative() throws {
    for offset in [-600, -172_800, 172_800] {
      let schedule = Schedule(
        rule: .relative(Schedule.Relative(to: .weekly([.tuesday]), offsetSeconds: offset)),
        times: ["09:00"])
      #expect(try due(schedule) == [3, 10], "\(offset) s")
    }
    let timed = Recurrence("DTSTART:20261103T090000\nRRULE:FREQ=WEEKLY;BYDAY=TU")
    let alarm = Schedule.Relative(to: .recurrence(try #require(timed)), offsetSeconds: -86_400)
    #expect(try due(Schedule(rule: .relative(alarm), times: [])) == [3, 10])
  }

  @Test("Once, every n-th day, and a schedule without times are due on their own dates")
  func dates() throws {
    #expect(try due(.once(CivilDateTime(date: "2026-11-05", time: "18:00"))) == [5])
    #expect(try due(.every(days: 5, from: "2026-11-03", at: ["07:30"])) == [3, 8, 13])
    #expect(try due(Schedule(rule: .weekly([.friday]), times: [])) == [6, 13])
    #expect(
      try due(
        Schedule.weekly(on: [.friday], at: ["07:30"]),
        rule("DTSTART:20261103T090000\nRDATE:20261104T090000")) == [3, 4, 6, 13])
  }

  @Test("An interval is due on the dates on which it has an occurrence in its window")
  func interval() throws {
    let from = try #require(Instant(rfc3339: "2026-11-03T20:00:00+01:00"))
    let every36 = Schedule(
      rule: .interval(Schedule.Interval(seconds: 129_600, from: from)), times: [])
    #expect(try due(every36) == [3, 5, 6, 8, 9, 11, 12, 14, 15])
    let day = Schedule.Interval(seconds: 129_600, from: from, window: DayWindow("19:00-22:00"))
    #expect(try due(Schedule(rule: .interval(day), times: [])) == [3, 6, 9, 12, 15])
    let night = Schedule.Interval(seconds: 129_600, from: from, window: DayWindow("22:00-09:00"))
    #expect(try due(Schedule(rule: .interval(night), times: [])) == [5, 8, 11, 14])
    let often = Schedule.Interval(seconds: 3_600, from: from)
    #expect(try due(Schedule(rule: .interval(often), times: [])) == Array(3...15))
  }

  @Test("A place is never due")
  func place() throws {
    let place = Schedule(
      rule: .place(Schedule.Region(latitude: 0, longitude: 0, radius: 100)), times: [])
    #expect(try due(place) == [])
    #expect(try due(place, .weekly(on: [.tuesday], at: ["09:00"])) == [3, 10])
  }

  @Test(
    "A time before the start of the day is due the previous day; a schedule without times is not")
  func dayStart() throws {
    #expect(try due(.weekly(on: [.tuesday], at: ["01:00"]), dayStart: "03:00") == [2, 9])
    #expect(
      try due(.weekly(on: [.tuesday], at: ["01:00", "09:00"]), dayStart: "03:00") == [2, 3, 9, 10])
    #expect(
      try due(rule("DTSTART:20261103T010000\nRRULE:FREQ=WEEKLY"), dayStart: "03:00") == [2, 9])
    #expect(try due(Schedule(rule: .weekly([.tuesday]), times: []), dayStart: "03:00") == [3, 10])
  }

  @Test("The due dates of a rule are those of each date by itself", arguments: 0..<200)
  func eachDate(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let anchor = Self.first.adding(days: random.pick([-30, -1, 0, 3, 20]))
    let step = random.pick([1, 1, 2, 5])
    let weekdays = Set(Weekday.allCases.filter { _ in !random.oneIn(3) })
    let (rule, includes): (Schedule.Rule, (CivilDate) -> Bool) =
      switch random.pick([0, 1, 2, 3]) {
      case 0: (.once(anchor), { $0 == anchor })
      case 1: (.everyDays(step, from: anchor), { $0 >= anchor && anchor.days(to: $0) % step == 0 })
      case 2: (.weekly(Set(Weekday.allCases)), { _ in true })
      default: (.weekly(weekdays), { weekdays.contains($0.weekday) })
      }
    let times = (0..<random.pick([1, 2, 3])).map { _ in
      random.pick(["00:00", "02:59", "03:00", "12:00", "23:59"] as [TimeOfDay])
    }
    let dayStart = random.pick(["00:00", "03:00", "05:30"] as [TimeOfDay])
    let expected = (0..<14).map { Self.first.adding(days: $0) }.filter { date in
      times.contains { includes($0 < dayStart ? date.adding(days: 1) : date) }
    }
    #expect(
      try due(Schedule(rule: rule, times: times), dayStart: dayStart)
        == expected.map(\.components.day))
  }

  @Test("Today has the same state alone as among all dates, and nothing is due before the start")
  func today() throws {
    let calendar = CivilCalendar(zone: try #require(TimeZone(identifier: "Europe/Berlin")))
    func day(_ today: CivilDate, _ habit: Habit) -> Adherence.Day {
      Adherence.day(today, of: habit, days: [:], pauses: [], calendar: calendar)
    }
    var habit = Habit("Walk", .weekly(on: [.tuesday], at: ["09:00"]))
    #expect(day("2026-11-03", habit) == .open && day("2026-11-04", habit) == .idle)
    habit.start = "2026-11-09"
    #expect(day("2026-11-03", habit) == .idle && day("2026-11-10", habit) == .open)
    #expect(day("2026-11-04", Habit("Read")) == .open)
  }
}
