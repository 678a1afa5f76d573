import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import Carillon
@testable import CarillonImport

/// The export of reminders to a calendar, read back by the import.
struct CalendarExportTests {
  /// 2026-11-23T08:00:00Z.
  private static let now = Instant(milliseconds: 1795420800000)
  private static let today: CivilDate = "2026-11-23"

  private static func export(_ habits: [Habit], in state: StoreState? = nil) -> CalendarExport {
    CalendarExport(
      habits, in: state ?? Self.state(of: habits), dayStart: "04:00", now: now, today: today)
  }

  private static func state(of habits: [Habit]) -> StoreState {
    StoreState(habits: Dictionary(uniqueKeysWithValues: habits.map { ($0.id, $0) }))
  }

  private static func habits(in calendar: CalendarExport) throws -> [Habit] {
    try ICalendar(Array(calendar.text.utf8), named: "export.ics").habits
  }

  /// The times at which habits fire, by title, in the days after the export.
  private static func firings(
    of habits: [Habit], in state: StoreState? = nil, days: Int = 120
  ) throws -> [String: Set<Instant>] {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let device = ReplicaID.random()
    let planner = Planner(
      state: state ?? Self.state(of: habits),
      settings: PlanSettings(
        zone: zone, capacity: 64, horizonDays: 8, store: StoreSettings(dayStart: "04:00")),
      device: device, now: now)
    let explainer = Explainer(planner, planner.plan())
    var found: [String: Set<Instant>] = [:]
    for habit in habits {
      for day in 0..<days {
        for occurrence in explainer.explain(habit.id, on: today.adding(days: day)) {
          guard let fireAt = occurrence.fireAt, fireAt > now,
            ![.beforeStart, .afterEnd, .skipped, .paused].contains(occurrence.reason)
          else { continue }
          found[habit.title, default: []].insert(fireAt)
        }
      }
    }
    return found
  }

  @Test("Random habits, exported and imported, fire at the same times")
  func roundTrip() throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    for round in 0..<150 {
      let habit = try Self.habit(&random)
      let calendar = Self.export([habit])
      #expect(calendar.report.losses.isEmpty, "seed \(seed) round \(round)")
      let written = try Self.firings(of: [habit])
      let read = try Self.firings(of: try Self.habits(in: calendar))
      #expect(written == read, "seed \(seed) round \(round): \(habit)\n\(calendar.text)")
    }
  }

  @Test("Random skips and pauses are left out: the imported events fire as the habit does")
  func suppressed() throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    for round in 0..<100 {
      let habit = try Self.habit(&random)
      var state = Self.state(of: [habit])
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let date = Self.today.adding(days: .random(in: -3...40, using: &random))
        state.days[habit.id, default: [:]][date] = StoreState.Day(mark: .skip)
      }
      for isOfAll in [true, false] where Bool.random(using: &random) {
        let pause = Pause(
          id: .random(), habit: isOfAll ? nil : habit.id,
          first: Self.today.adding(days: .random(in: -5...60, using: &random)),
          last: Bool.random(using: &random)
            ? nil : Self.today.adding(days: .random(in: 0...70, using: &random)))
        state.pauses[pause.id] = pause
      }
      let calendar = Self.export([habit], in: state)
      let isEndless = state.pauses.values.contains { $0.last == nil }
      #expect(calendar.report.losses.map(\.reason) == (isEndless ? [.pauses] : []))
      let written = try Self.firings(of: [habit], in: state)
      let read = try Self.firings(of: try Self.habits(in: calendar))
      #expect(
        written == read, "seed \(seed) round \(round): \(habit) \(state.pauses)\n\(calendar.text)")
    }
  }

  @Test("A skipped date is an EXDATE at the time of the event, and a single skipped date no event")
  func skips() throws {
    let habit = Habit("Walk", .daily(at: ["02:00", "17:00"]))
    let once = Habit("Call", Schedule(rule: .once("2026-12-24"), times: ["09:00"]))
    var state = Self.state(of: [habit, once])
    for id in [habit.id, once.id] {
      state.days[id] = ["2026-12-24": StoreState.Day(mark: .skip)]
    }
    let calendar = Self.export([habit, once], in: state)
    // The day begins at 04:00, so that 02:00 is of the date before.
    #expect(calendar.text.contains("EXDATE:20261225T020000\r\n"))
    #expect(calendar.text.contains("EXDATE:20261224T170000\r\n"))
    #expect(!calendar.text.contains("SUMMARY:Call") && calendar.report.losses.isEmpty)
  }

  @Test("A pause of years is reported if one event cannot leave out all of its dates")
  func longPause() throws {
    let habit = Habit("Walk", .daily(at: ["17:00"]))
    var state = Self.state(of: [habit])
    let pause = Pause(id: .random(), habit: nil, first: Self.today, last: "2028-12-31")
    state.pauses[pause.id] = pause
    let calendar = Self.export([habit], in: state)
    #expect(calendar.report.losses.map(\.reason) == [.skips])
    #expect(calendar.report.reminders == 1)
  }

  /// Returns a habit with one or two schedules that a calendar can express.
  private static func habit(_ random: inout SeededGenerator) throws -> Habit {
    var habit = Habit("Walk, run; rest\\")
    if Int.random(in: 0..<3, using: &random) == 0 {
      habit.start = today.adding(days: .random(in: -20...20, using: &random))
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      habit.end = today.adding(days: .random(in: 10...60, using: &random))
    }
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let times = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
        TimeOfDay(minute: .random(in: 0..<1_440, using: &random))
      }
      let rule = try rule(&random)
      var schedule = Schedule(rule: rule, times: hasTimes(rule) ? [] : times)
      if Int.random(in: 0..<4, using: &random) == 0 {
        schedule.rule = .relative(
          Schedule.Relative(
            to: rule, edge: Bool.random(using: &random) ? .start : .end,
            offsetSeconds: 60 * .random(in: -2_000...2_000, using: &random),
            durationMinutes: .random(in: 0...90, using: &random), repeatCount: 2,
            repeatSeconds: 300))
      }
      if !hasTimes(rule), Bool.random(using: &random) {
        schedule.zone = .fixed(
          ["America/New_York", "Asia/Tokyo", "UTC"].randomElement(using: &random) ?? "")
      }
      habit.schedules.append(schedule)
    }
    return habit
  }

  private static func hasTimes(_ rule: Schedule.Rule) -> Bool {
    if case .recurrence(let recurrence) = rule { !recurrence.isDateOnly } else { false }
  }

  private static func rule(_ random: inout SeededGenerator) throws -> Schedule.Rule {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .once(today.adding(days: .random(in: 1...60, using: &random)))
    case 1:
      let days = Weekday.allCases.filter { _ in Bool.random(using: &random) }
      return .weekly(Set(days.isEmpty ? [.friday] : days))
    case 2:
      return .everyDays(
        .random(in: 1...9, using: &random),
        from: today.adding(days: .random(in: -40...40, using: &random)))
    default:
      let start = [
        "DTSTART;VALUE=DATE:20261102", "DTSTART:20261104T173000",
        "DTSTART;TZID=America/New_York:20261104T173000", "DTSTART:20261104T173000Z",
      ].randomElement(using: &random)
      let rule = [
        "FREQ=DAILY;INTERVAL=2;COUNT=25", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "FREQ=MONTHLY",
        "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270115", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,31",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1", "FREQ=WEEKLY;COUNT=6;BYDAY=SU",
      ].randomElement(using: &random)
      let isDate = start?.contains("VALUE") == true
      let hasZone = start?.contains("TZID") == true || start?.hasSuffix("Z") == true
      let until = isDate ? "20270115" : "20270115T120000" + (hasZone ? "Z" : "")
      let exception = ["", "\nEXDATE;VALUE=DATE:20261204,20261218"].randomElement(using: &random)
      let addition = isDate ? "\nRDATE;VALUE=DATE:20261206,20261210" : ""
      return .recurrence(
        try Recurrence(
          parsing: "\(start ?? "")\nRRULE:\(rule ?? "")\(addition)\(exception ?? "")"
            .replacing("UNTIL=20270115", with: "UNTIL=\(until)")))
    }
  }

  @Test("The texts of a habit are those of its events, folded and escaped")
  func texts() throws {
    var habit = Habit("Ünïcode, " + String(repeating: "long; ", count: 20), .daily(at: ["07:30"]))
    habit.notes = "First\nsecond \\ third"
    habit.group = "Health, mind"
    habit.question = "Did you?"
    let calendar = Self.export([habit])
    for line in calendar.text.components(separatedBy: "\r\n") { #expect(line.utf8.count <= 75) }
    #expect(!calendar.text.replacing("\r\n", with: "").contains("\n"))
    let read = try Self.habits(in: calendar)
    #expect(read.map(\.title) == [habit.title])
    #expect(read[0].notes == habit.notes && read[0].group == habit.group)
    #expect(read[0].schedules.map(\.content.body) == ["Did you?"])
    #expect(calendar.report.reminders == 1 && calendar.report.habits == 1)
  }

  @Test("What a calendar cannot express is left out, with its reason")
  func losses() throws {
    var bag = Habit("Bag")
    bag.schedules = [
      Schedule(
        rule: .place(Schedule.Region(latitude: 0, longitude: 0, radius: 100)), times: []),
      Schedule(rule: .interval(Schedule.Interval(seconds: 3_600, from: Self.now)), times: []),
      Schedule(rule: .unknown(number: 99, bytes: []), times: []),
      Schedule(rule: .once("2026-12-24"), times: ["08:00"], zone: .fixed("Mars/Olympus")),
      Schedule(rule: .weekly([.monday]), times: ["08:00"], unless: .done),
    ]
    var archived = Habit("Archived", .daily(at: ["07:30"]))
    archived.isArchived = true
    let calendar = Self.export([bag, archived])
    #expect(
      calendar.report.losses.map(\.reason)
        == [.places, .intervals, .unknown, .unknown, .conditions, .habits])
    #expect(calendar.report.losses.prefix(5).map(\.schedule) == bag.schedules.map(\.id))
    #expect(calendar.report.reminders == 1)
  }

  @Test("A schedule without times is an event of whole dates without an alarm")
  func silent() throws {
    var habit = Habit("Rent", Schedule(rule: .weekly([.monday]), times: []))
    habit.start = "2026-12-01"
    let calendar = Self.export([habit])
    #expect(calendar.text.contains("DTSTART;VALUE=DATE:20261207\r\nRRULE:FREQ=WEEKLY;BYDAY=MO\r\n"))
    #expect(!calendar.text.contains("VALARM") && calendar.report.reminders == 0)
  }

  @Test("A zone is written with the changes of its clocks, and an UNTIL in it in UTC")
  func zones() throws {
    var habit = Habit("Call")
    habit.end = "2026-12-31"
    habit.schedules = [
      Schedule(rule: .weekly([.monday]), times: ["09:00"], zone: .fixed("Europe/Berlin"))
    ]
    let text = Self.export([habit]).text.replacing("\r\n ", with: "")
    #expect(text.contains("DTSTART;TZID=Europe/Berlin:20261123T090000\r\n"))
    #expect(text.contains("UNTIL=20270101T025900Z"))
    #expect(
      text.contains(
        "BEGIN:DAYLIGHT\r\nDTSTART:20270328T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n"))
    #expect(text.contains("DTSTART:20271031T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\n"))
  }

  @Test("A later export keeps the UIDs, so that a calendar changes its events")
  func again() throws {
    var habit = Habit("Walk", .daily(at: ["07:30", "17:00"]))
    let first = try Self.habits(in: Self.export([habit])).map(\.id)
    habit.title = "Run"
    #expect(try Self.habits(in: Self.export([habit])).map(\.id) == first && first.count == 1)
  }

  @Test("Settings of reminders and of a habit that a calendar does not have are left out")
  func settings() {
    var habit = Habit("Pill", .daily(at: ["08:00"]))
    #expect(Self.export([habit]).report.losses.isEmpty)
    let changes: [(ExportReport.Reason, (inout Habit) -> Void)] = [
      (.settings, { $0.schedules[0].quietPolicy = .drop }),
      (.settings, { $0.schedules[0].stopAfterDays = 3 }),
      (.settings, { $0.schedules[0].thread = "pills" }),
      (.settings, { $0.schedules[0].content.sound = "bell" }),
      (.settings, { $0.schedules[0].content.level = .passive }),
      (.settings, { $0.schedules[0].content.data = ["a": "b"] }),
      (.targets, { $0.kind = .count }), (.targets, { $0.goal = Quota("3/week") }),
      (.owners, { $0.owner = .watch }),
    ]
    for (reason, change) in changes {
      var changed = habit
      change(&changed)
      #expect(Self.export([changed]).report.losses.map(\.reason) == [reason])
    }
    habit.schedules[0].stopAfterDays = 0
    #expect(Self.export([habit]).report.losses.isEmpty)
  }

  @Test("Events beyond the schedules that a habit may have are imported as a further habit")
  func manyTimes() throws {
    let times = (0..<20).compactMap { TimeOfDay(minute: $0 * 60) }
    let read = try Self.habits(in: Self.export([Habit("Water", .daily(at: times))]))
    #expect(read.map(\.schedules.count) == [16, 4])
    #expect(Set(read.map(\.title)) == ["Water"] && Set(read.map(\.id)).count == 2)
  }
}
