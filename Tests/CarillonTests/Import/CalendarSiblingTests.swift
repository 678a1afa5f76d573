import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import Carillon
@testable import CarillonImport

/// Events of a calendar that are one habit, imported again after the calendar changed them.
struct CalendarSiblingTests {
  private typealias Event = SiblingEvent

  private static let morning = Event(hour: "0800")
  private static let night = Event(hour: "2300")

  @Test("Events of one title with the same sibling are one habit, which a changed calendar updates")
  func joined() async throws {
    try await CalendarBench.run { bench in
      let tea = Event(hour: "1200", title: "Tea")
      let both = try await bench.add(Self.morning, Self.night, tea)
      #expect(both.added == ["habits": 2, "schedules": 3] && both.ignored.isEmpty)
      let pill = try #require(try await bench.store.habits().first { $0.title == "Pill" })
      #expect(Set(pill.schedules.map(\.id)) == [Self.morning.reminder, Self.night.reminder])
      #expect(try await bench.add(Self.morning, Self.night, tea).added == ["seen": 2])
      // The first event is gone, and the habit keeps its ID.
      let pills = Event(hour: "2300", title: "Pills")
      #expect(try await bench.add(pills, tea).added == ["seen": 1, "updated": 1])
      let later = try #require(try await bench.store.habits().first { $0.title == "Pills" })
      #expect(later.id == pill.id && later.schedules.map(\.id) == [Self.night.reminder])
    }
  }

  @Test("An event that names another event of its title as its sibling joins that event's habit")
  func joinedToEvent() throws {
    let text = [
      Event(hour: "2300", sibling: "0800"), Event(hour: "1200", title: "Tea", sibling: "0800"),
      Event(hour: "0800", sibling: nil),
    ].flatMap(\.text)
    let habits = try ICalendar(Array(CalendarSamples.text(text).utf8), named: "a.ics").habits
    #expect(habits.map(\.title) == ["Pill", "Tea"] && habits[0].schedules.count == 2)
    let alone = CalendarSamples.text(Event(hour: "0800", sibling: nil).text)
    #expect(try ICalendar(Array(alone.utf8), named: "a.ics").habits[0].id == habits[0].id)
  }

  @Test("Of joined events, a cancelled one ends its reminders, and the last one archives the habit")
  func joinedAndCancelled() throws {
    func pill(_ cancelled: Set<String>) throws -> Habit? {
      let lines = [Self.morning, Self.night].flatMap { event in
        var event = event
        if cancelled.contains(event.hour) { event.lines = ["STATUS:CANCELLED"] }
        return event.text
      }
      return try ICalendar(Array(CalendarSamples.text(lines).utf8), named: "a.ics").habits.first
    }
    for hour in ["0800", "2300"] {
      let habit = try #require(try pill([hour]))
      #expect(habit.schedules.count == 1 && !habit.isArchived)
    }
    let gone = try #require(try pill(["0800", "2300"]))
    #expect(gone.schedules.count == 2 && gone.isArchived)
  }

  @Test(
    "An event that is removed from a calendar loses its reminder, even if it was the newest one",
    arguments: ["LAST-MODIFIED:20260120T120000Z", "DTSTAMP:20260120T120000Z", "SEQUENCE:7"])
  func removed(line: String) async throws {
    try await CalendarBench.run { bench in
      var night = Self.night
      night.lines = [line]
      _ = try await bench.add(Self.morning.changed(1), night)
      let report = try await bench.add(Self.morning.changed(1))
      #expect(report.added == ["updated": 1] && report.older.isEmpty)
      #expect(try await bench.reminders() == ["Pill": [Self.morning.reminder]])
      // The event is in the calendar again.
      #expect(
        try await bench.add(Self.morning.changed(2), night.changed(2)).added == ["updated": 1])
      #expect(try await bench.reminders() == ["Pill": [Self.morning.reminder, night.reminder]])
    }
  }

  @Test("A changed instance that is removed loses its reminder, even if it was the newest part")
  func removedInstance() async throws {
    try await CalendarBench.run { bench in
      var moved = Event(hour: "0800").changed(5)
      moved.lines.append("RECURRENCE-ID:20260107T080000")
      let instance = moved.text.filter { !$0.hasPrefix("RRULE") }
        .map { $0.replacing("DTSTART:20260105T080000", with: "DTSTART:20260107T100000") }
      let series = Self.morning.changed(1).text
      _ = try await bench.add(CalendarSamples.text(series + instance))
      #expect(try await bench.store.habits().first?.schedules.count == 2)
      #expect(try await bench.add(CalendarSamples.text(series)).added == ["updated": 1])
      #expect(try await bench.reminders() == ["Pill": [Self.morning.reminder]])
    }
  }

  @Test("An older file changes nothing, and the report names the habit")
  func older() async throws {
    try await CalendarBench.run { bench in
      _ = try await bench.add(Self.morning.exported(1))
      _ = try await bench.add(Self.morning.exported(3), Self.night.exported(3))
      let pill = try #require(try await bench.store.habits().first?.id)
      // A file that was not imported before, of a calendar that writes the time of the export.
      let report = try await bench.add(Self.morning.exported(2))
      #expect(report.added == ["seen": 1] && report.older == [pill])
      #expect(
        try await bench.reminders() == ["Pill": [Self.morning.reminder, Self.night.reminder]])
    }
  }

  @Test("A file that was imported before removes nothing that a later one added")
  func known() async throws {
    try await CalendarBench.run { bench in
      _ = try await bench.add(Self.morning)
      let both = try await bench.add(Self.morning, Self.night)
      #expect(both.added == ["updated": 1])
      let again = try await bench.add(Self.morning)
      #expect(again.added == ["seen": 1] && again.older.count == 1)
      #expect(try await bench.reminders()["Pill"]?.count == 2)
      // The same events in a new file are the newest that is known.
      let new = try await bench.add(Self.morning, comment: "new")
      #expect(new.added == ["updated": 1] && new.older.isEmpty)
      #expect(try await bench.reminders() == ["Pill": [Self.morning.reminder]])
    }
  }

  @Test("An event that gets another title leaves its habit, and fires once", arguments: [0, 1])
  func renamed(index: Int) async throws {
    try await CalendarBench.run { bench in
      var events = [Self.morning, Self.night]
      _ = try await bench.add(events)
      let pill = try #require(try await bench.store.habits().first?.id)
      events[index].title = "Tea"
      let report = try await bench.add(events)
      #expect(report.added == ["habits": 1, "schedules": 1, "updated": 1])
      #expect(
        try await bench.reminders()
          == ["Tea": [events[index].reminder], "Pill": [events[1 - index].reminder]])
      #expect(try await bench.store.habits().first { $0.title == "Pill" }?.id == pill)
      // A new event joins the habit of its title.
      let noon = Event(hour: "1200")
      let added = try await bench.add([noon] + events)
      #expect(added.added == ["seen": 1, "updated": 1])
      #expect(try await bench.reminders()["Pill"] == [events[1 - index].reminder, noon.reminder])
      // An event on its own keeps its habit, whatever its title is.
      events[index].title = "Chai"
      #expect(try await bench.add([noon] + events).added == ["seen": 1, "updated": 1])
      #expect(try await bench.reminders()["Chai"] == [events[index].reminder])
    }
  }

  @Test("Events stay in the habits that have them if a calendar loses or adds their relation")
  func relation() async throws {
    for siblings in [["a", nil], [nil, "a"]] {
      try await CalendarBench.run { bench in
        func events(_ sibling: String?, _ hours: [String]) -> [Event] {
          hours.map { Event(hour: $0, sibling: sibling) }
        }
        _ = try await bench.add(events(siblings[0], ["0800", "2300"]))
        let before = try await bench.store.habits()
        #expect(before.count == (siblings[0] == nil ? 2 : 1))
        let report = try await bench.add(events(siblings[1], ["0800", "2300"]))
        #expect(report.added == ["seen": Int64(before.count)])
        #expect(try await bench.store.habits() == before)
      }
    }
  }

  @Test("A new event joins the habit that has its sibling, although that had no relation before")
  func newSibling() async throws {
    try await CalendarBench.run { bench in
      _ = try await bench.add(Event(hour: "0800", sibling: nil))
      _ = try await bench.add(Self.morning, Self.night)
      #expect(
        try await bench.reminders() == ["Pill": [Self.morning.reminder, Self.night.reminder]])
    }
  }

  @Test("Siblings that name each other in a chain or a circle are one habit, and fire once")
  func chains() async throws {
    for first in [nil, "1200"] {
      try await CalendarBench.run { bench in
        let events = [
          Event(hour: "0800", sibling: first), Event(hour: "1000", sibling: "0800"),
          Event(hour: "1200", sibling: "1000"),
        ]
        _ = try await bench.add(events)
        #expect(try await bench.reminders() == ["Pill": Set(events.map(\.reminder))])
        var renamed = events.map { $0.changed(1) }
        renamed[1].title = "Tea"
        for round in 0..<3 {
          _ = try await bench.add(renamed)
          let expected =
            [
              "Pill": [events[0].reminder, events[2].reminder], "Tea": [events[1].reminder],
            ] as [String: Set<ScheduleID>]
          #expect(try await bench.reminders() == expected, "\(first ?? "chain") \(round)")
        }
      }
    }
  }

  @Test("An event stays in its habit if the file is older for another event of the habit")
  func mixedAges() async throws {
    try await CalendarBench.run { bench in
      _ = try await bench.add(Self.morning.changed(2), Self.night.changed(2))
      var night = Self.night.changed(3)
      night.title = "Tea"
      _ = try await bench.add(Self.morning.changed(1), night)
      let reminders = try await bench.reminders().values.flatMap(\.self)
      #expect(reminders.sorted() == [Self.morning.reminder, Self.night.reminder].sorted())
    }
  }

  @Test("A person's changes to a reminder stay while its own event is unchanged")
  func ownChanges() async throws {
    try await CalendarBench.run { bench in
      _ = try await bench.add(Self.morning.changed(1), Self.night.changed(1))
      let pill = try #require(try await bench.store.habits().first)
      let index = try #require(pill.schedules.firstIndex { $0.id == Self.night.reminder })
      try await bench.store.edit(pill.id) { $0.schedules[index].unless = .done }
      var morning = Self.morning.changed(2)
      morning.lines.append("DESCRIPTION:With water")
      #expect(try await bench.add(morning, Self.night.changed(1)).added == ["updated": 1])
      let kept = try #require(try await bench.store.habits().first)
      #expect(kept.schedules.first { $0.id == Self.night.reminder }?.unless == .done)
      #expect(kept.notes == "With water")
      #expect(try await bench.add(morning, Self.night.changed(1)).older.isEmpty)
    }
  }

  @Test("A habit never has more than 16 schedules, whatever the calendar adds")
  func noRoom() async throws {
    try await CalendarBench.run { bench in
      let events = (10..<25).map { Event(hour: "08\($0)") }
      _ = try await bench.add(events)
      let pill = try #require(try await bench.store.habits().first)
      try await bench.store.edit(pill.id) { $0.schedules.append(.daily(at: ["22:10"])) }
      let report = try await bench.add(events + [Event(hour: "0930")], comment: "more")
      #expect(report.ignored[.tooManyAlarms]?.count == 1)
      #expect(try await bench.store.habits().map(\.schedules.count) == [16])
    }
  }

  @Test("The same file with a cancelled event changes nothing and warns of nothing the second time")
  func cancelledTwice() async throws {
    try await CalendarBench.run { bench in
      _ = try await bench.add(Self.morning.changed(1), Self.night.changed(1))
      var night = Self.night.changed(2)
      night.sibling = nil
      night.lines.append("STATUS:CANCELLED")
      _ = try await bench.add(Self.morning.changed(1), night)
      #expect(try await bench.reminders() == ["Pill": [Self.morning.reminder]])
      let again = try await bench.add(Self.morning.changed(1), night)
      #expect(again.older.isEmpty && again.updated == 0)
    }
  }

  @Test("A store that imports its own export changes nothing, also if the calendar changed it")
  func ownExport() async throws {
    try await CalendarBench.run { bench in
      let store = bench.store
      let pill = try await store.add(Habit("Pill", .daily(at: ["08:00", "23:00"])))
      let hours = (0..<20).compactMap { TimeOfDay(minute: $0 * 60) }
      _ = try await store.add(Habit("Water", .daily(at: hours)))
      var titled = Schedule.daily(at: ["12:00"])
      titled.content.title = "Tea time"
      _ = try await store.add(Habit("Tea", titled, Schedule(rule: .weekly([.monday]), times: [])))
      let gone = try await store.add(Habit("Gone", .daily(at: ["09:00"])))
      let text = try await store.exportCalendar().text
      try await store.delete(gone.id)
      let unrelated = text.replacing("RELATED-TO;RELTYPE=SIBLING:", with: "X-OLD:")
      for text in [text, unrelated, text.replacing("SUMMARY:Pill", with: "SUMMARY:Tablet")] {
        let report = try await bench.add(text)
        #expect(report.added == ["seen": 25] && report.exported == 25)
        #expect(try await store.habits().count == 3)
      }
      #expect(try await store.habits(includingDeleted: true).count == 4)
      // A copy of an event, which the calendar made, is new.
      let copy = Event(hour: "1000", sibling: "\(pill.id)@carillon").text
      let report = try await bench.add(CalendarSamples.text(copy))
      #expect(report.added == ["habits": 1, "schedules": 1] && report.exported == 0)
    }
  }
}
