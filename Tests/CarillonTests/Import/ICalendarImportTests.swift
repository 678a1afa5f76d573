import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import Carillon
@testable import CarillonImport

/// Calendars imported into a store repeatedly.
struct ICalendarImportTests {
  private static func write(_ text: String, in folder: URL) throws -> URL {
    let file = folder.appending(path: "calendar.ics")
    try Data(text.utf8).write(to: file)
    return file
  }

  /// Returns a calendar of one event with an alarm for each offset.
  private static func event(
    sequence: Int, title: String, hour: String = "07", alarms: [String] = ["-PT10M"],
    status: String = "CONFIRMED"
  ) -> String {
    CalendarSamples.text(
      [
        "BEGIN:VEVENT\nUID:walk\nSEQUENCE:\(sequence)\nSUMMARY:\(title)\nSTATUS:\(status)",
        "DTSTART;TZID=Europe/Berlin:20260105T\(hour)3000\nRRULE:FREQ=DAILY",
      ] + alarms.map { "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:\($0)\nEND:VALARM" }
        + ["END:VEVENT"])
  }

  @Test("A calendar is imported with its habits, schedules and entries; a second time adds nothing")
  func twice() async throws {
    try await withStoreAndFiles { store, files in
      for (text, added, seen) in [
        (CalendarSamples.google, ["habits": 3, "schedules": 4], 3),
        (CalendarSamples.apple, ["habits": 4, "schedules": 5, "entries": 1], 5),
      ] as [(String, [String: Int64], Int64)] {
        let file = try Self.write(text, in: files)
        let report = try await store.importHabits(from: file, format: .ics)
        #expect(report.added == added)
        let (position, digest) = (try store.lastPosition(), try await store.stateDigest())
        let again = try await store.importHabits(from: file, format: .ics)
        #expect(again.added == ["seen": seen])
        #expect(try store.lastPosition() == position)
        #expect(try await store.stateDigest() == digest)
      }
      try await store.setPermission(Permission(status: .authorized, options: .alert))
      try await store.setAlerts(true)
      #expect(try await store.status().health.isEmpty)
      let rent = try #require(try await store.habits().first { $0.title == "Pay rent" })
      #expect(try await store.entries(of: rent.id, on: .date("2026-01-14")).map(\.amount) == [1])
    }
  }

  @Test("An event changed in its calendar is updated, and the person's additions are kept")
  func changed() async throws {
    try await withStoreAndFiles { store, files in
      func add(_ text: String) async throws -> ImportReport {
        try await store.importHabits(from: try Self.write(text, in: files), format: .ics)
      }
      _ = try await add(Self.event(sequence: 1, title: "Walk", alarms: ["-PT10M", "-PT20M"]))
      let id = try #require(try await store.habits().first?.id)
      let own = Schedule.daily(at: ["12:00"])
      try await store.edit(id) {
        $0.title = "My walk"
        $0.schedules.append(own)
      }
      #expect(
        try await add(Self.event(sequence: 1, title: "Walk", alarms: ["-PT10M", "-PT20M"])).added
          == ["seen": 1])
      #expect(try await store.habits().map(\.title) == ["My walk"])
      let report = try await add(Self.event(sequence: 2, title: "Long walk", hour: "08"))
      #expect(report.added == ["updated": 1])
      let habit = try #require(try await store.habits().first)
      #expect(habit.title == "Long walk")
      #expect(habit.schedules.count == 2 && habit.schedules.contains(own))
      let theirs = try #require(habit.schedules.first { $0.id != own.id })
      guard case .relative(let relative) = theirs.rule, case .recurrence(let rule) = relative.base
      else { throw Unexpected(theirs) }
      #expect(rule.start.dateTime.time == "08:30")
      // An older export changes nothing.
      let (position, older) = (try store.lastPosition(), Self.event(sequence: 1, title: "Walk"))
      #expect(try await add(older).added == ["seen": 1])
      // Nor does the same file again, except for the record that the older file was imported.
      #expect(
        try await add(Self.event(sequence: 2, title: "Long walk", hour: "08")).added
          == ["seen": 1])
      #expect(try store.lastPosition().rawValue == position.rawValue + 1)
    }
  }

  @Test("A cancelled event is archived if it was imported before, and otherwise not imported")
  func cancelled() async throws {
    try await withStoreAndFiles { store, files in
      let off = Self.event(sequence: 2, title: "Walk", status: "CANCELLED")
      let file = try Self.write(off, in: files)
      #expect(try await store.importHabits(from: file, format: .ics).added == [:])
      let on = try Self.write(Self.event(sequence: 1, title: "Walk"), in: files)
      _ = try await store.importHabits(from: on, format: .ics)
      let again = try Self.write(off, in: files)
      let report = try await store.importHabits(from: again, format: .ics)
      #expect(report.added == ["updated": 1])
      #expect(report.ignored.mapValues(\.count) == [.cancelled: 1])
      let habits = try await store.habits(includingArchived: true)
      #expect(habits.map(\.isArchived) == [true])
      try await store.unarchive(habits[0].id)
      #expect(try await store.importHabits(from: again, format: .ics).added == ["seen": 1])
      #expect(try await store.habits().count == 1)
    }
  }

  /// Returns a calendar of daily events, each with the hour as its UID, its title, and the sibling
  /// that it names.
  private static func siblings(_ events: [(hour: String, title: String, of: String?)]) -> String {
    CalendarSamples.text(
      events.flatMap { event in
        ["BEGIN:VEVENT", "UID:\(event.hour)", "SUMMARY:\(event.title)"]
          + (event.of.map { ["RELATED-TO;RELTYPE=SIBLING:\($0)"] } ?? [])
          + ["DTSTART:20260105T\(event.hour)0000", "RRULE:FREQ=DAILY", "BEGIN:VALARM"]
          + ["ACTION:DISPLAY", "TRIGGER:PT0S", "END:VALARM", "END:VEVENT"]
      })
  }

  @Test("Events of one title with the same sibling are one habit, which a changed calendar updates")
  func joined() async throws {
    try await withStoreAndFiles { store, files in
      func add(_ events: (hour: String, title: String, of: String?)...) async throws
        -> ImportReport
      {
        let report = try await store.importHabits(
          from: try Self.write(Self.siblings(events), in: files), format: .ics)
        #expect(report.ignored.isEmpty)
        return report
      }
      let both = try await add(("08", "Pill", "a"), ("23", "Pill", "a"), ("12", "Tea", "a"))
      #expect(both.added == ["habits": 2, "schedules": 3])
      let pill = try #require(try await store.habits().first { $0.title == "Pill" })
      let night = ScheduleID.imported(of: .imported(from: "ics", .uuid("23")), named: "0")
      #expect(pill.schedules.count == 2 && pill.schedules.contains { $0.id == night })
      let again = try await add(("08", "Pill", "a"), ("23", "Pill", "a"), ("12", "Tea", "a"))
      #expect(again.added == ["seen": 2])
      // The first event is gone, and the habit keeps its ID.
      #expect(try await add(("23", "Pills", "a"), ("12", "Tea", "a")).added["updated"] == 1)
      let later = try #require(try await store.habits().first { $0.title == "Pills" })
      #expect(later.id == pill.id && later.schedules.map(\.id) == [night])
    }
  }

  @Test("An event that names another event of its title as its sibling joins that event's habit")
  func joinedToEvent() throws {
    let text = Self.siblings([("23", "Pill", "08"), ("12", "Tea", "08"), ("08", "Pill", nil)])
    let habits = try ICalendar(Array(text.utf8), named: "a.ics").habits
    #expect(habits.map(\.title) == ["Pill", "Tea"] && habits[0].schedules.count == 2)
    let alone = Self.siblings([("08", "Pill", nil)])
    #expect(try ICalendar(Array(alone.utf8), named: "a.ics").habits[0].id == habits[0].id)
  }

  @Test("Of joined events, a cancelled one ends its reminders, and the last one archives the habit")
  func joinedAndCancelled() throws {
    func pill(_ cancelled: Set<String>) throws -> Habit? {
      var text = Self.siblings([("08", "Pill", "a"), ("23", "Pill", "a")])
      for hour in cancelled {
        text = text.replacing("UID:\(hour)", with: "UID:\(hour)\r\nSTATUS:CANCELLED")
      }
      return try ICalendar(Array(text.utf8), named: "a.ics").habits.first
    }
    for hour in ["08", "23"] {
      let habit = try #require(try pill([hour]))
      #expect(habit.schedules.count == 1 && !habit.isArchived)
    }
    let gone = try #require(try pill(["08", "23"]))
    #expect(gone.schedules.count == 2 && gone.isArchived)
  }

  @Test("A deleted event stays deleted, even if its calendar changed it")
  func deleted() async throws {
    try await withStoreAndFiles { store, files in
      let file = try Self.write(Self.event(sequence: 1, title: "Walk"), in: files)
      _ = try await store.importHabits(from: file, format: .ics)
      try await store.delete(try #require(try await store.habits().first?.id))
      let changed = try Self.write(Self.event(sequence: 2, title: "Run"), in: files)
      #expect(try await store.importHabits(from: changed, format: .ics).added == ["seen": 1])
      #expect(try await store.habits(includingArchived: true).isEmpty)
    }
  }

  @Test(
    "A calendar that is cut off anywhere is refused, and nothing is written",
    arguments: [0.1, 0.5, 0.9, 0.995])
  func cutOff(at part: Double) async throws {
    try await withStoreAndFiles { store, files in
      let bytes = CalendarSamples.google.utf8
      let text = String(decoding: bytes.prefix(Int(Double(bytes.count) * part)), as: UTF8.self)
      let file = try Self.write(text, in: files)
      try await store.expectRefusal(of: file, .ics, says: "calendar.ics line")
    }
  }

  @Test("Thousands of events are imported in batches, with progress")
  func many() async throws {
    try await withStoreAndFiles { store, files in
      let events = (0..<2_500).map {
        "BEGIN:VEVENT\nUID:\($0)\nSUMMARY:E\($0)\nDTSTART;VALUE=DATE:20260105\nEND:VEVENT"
      }
      let file = try Self.write(CalendarSamples.text(events), in: files)
      let seen = Recorder()
      let report = try await store.importHabits(from: file, format: .ics) { seen.add($0) }
      #expect(report.added == ["habits": 2_500, "schedules": 2_500])
      #expect(seen.values.map(\.done) == [1_000, 2_000, 2_500])
      #expect(seen.values.map(\.total) == [2_500, 2_500, 2_500])
    }
  }
}

/// The progress that was reported.
private final class Recorder: Sendable {
  private let found = Locked<[ImportProgress]>([])
  var values: [ImportProgress] { found.value }
  func add(_ progress: ImportProgress) { found.set(found.value + [progress]) }
}
