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

  @Test("A cancelled event that takes place again is back, unless the person archived its habit")
  func activeAgain() async throws {
    try await withStoreAndFiles { store, files in
      func add(_ sequence: Int, _ status: String) async throws -> Habit {
        let text = Self.event(sequence: sequence, title: "Walk", status: status)
        _ = try await store.importHabits(from: try Self.write(text, in: files), format: .ics)
        return try #require(try await store.habits(includingArchived: true).first)
      }
      _ = try await add(1, "CONFIRMED")
      #expect(try await add(2, "CANCELLED").isArchived)
      // An older file that was not imported before.
      #expect(try await add(0, "TENTATIVE").isArchived)
      let back = try await add(3, "CONFIRMED")
      #expect(!back.isArchived && back.schedules.count == 1)
      try await store.archive(back.id)
      #expect(try await add(4, "CANCELLED").isArchived)
      #expect(try await add(5, "CONFIRMED").isArchived)
      // Since the event was cancelled.
      try await store.unarchive(back.id)
      #expect(try await add(6, "CANCELLED").isArchived)
      try await store.unarchive(back.id)
      try await store.archive(back.id)
      #expect(try await add(7, "CONFIRMED").isArchived)
      // While the calendar keeps it archived.
      try await store.unarchive(back.id)
      #expect(try await add(8, "CANCELLED").isArchived)
      #expect(try await !store.archive(back.id).events.isEmpty)
      #expect(try await store.archive(back.id).events.isEmpty)
      #expect(try await add(9, "CONFIRMED").isArchived)
    }
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
