import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import Carillon
@testable import CarillonImport

/// Siblings beyond the room of one habit, in further habits.
struct FurtherHabitTests {
  /// Returns daily events, each half an hour past its hour, of which each names the one before it.
  private static func chain(_ count: Int) -> [SiblingEvent] {
    let hours = (0..<count).map { String(format: "%02d30", $0) }
    return hours.indices.map {
      SiblingEvent(hour: hours[$0], sibling: $0 == 0 ? nil : hours[$0 - 1])
    }
  }

  @Test("Events beyond the 16 reminders of a habit are in a further habit, and the others stay")
  func overflow() async throws {
    try await CalendarBench.run { bench in
      let events = (0..<20).map { SiblingEvent(hour: String(format: "%02d30", $0)) }
      let report = try await bench.add(events)
      #expect(report.added == ["habits": 2, "schedules": 20] && report.overflow == 4)
      let before = try await bench.store.habits()
      #expect(Set(before.map(\.schedules.count)) == [16, 4])
      // The first event of the file is new.
      #expect(
        try await bench.add([SiblingEvent(hour: "2300")] + events).added
          == ["seen": 1, "updated": 1])
      let after = try await bench.store.habits()
      #expect(after.map(\.id) == before.map(\.id))
      #expect(Set(after.map(\.schedules.count)) == [16, 5])
      // A habit that has room again takes a new event.
      #expect(try await bench.add(Array(events.dropFirst())).added == ["updated": 2])
      let gone = try await bench.store.habits()
      #expect(Set(gone.map(\.schedules.count)) == [15, 4])
      #expect(
        try await bench.add(events.dropFirst() + [SiblingEvent(hour: "2300")], comment: "1").added
          == ["seen": 1, "updated": 1])
      #expect(Set(try await bench.store.habits().map(\.schedules.count)) == [16, 4])
    }
  }

  @Test("A chain of siblings fills one further habit, which has the name of the whole chain")
  func chain() async throws {
    try await CalendarBench.run { bench in
      let report = try await bench.add(Self.chain(22))
      #expect(report.added == ["habits": 2, "schedules": 22] && report.overflow == 6)
      let names = ["0030", "0030 2"].map { HabitID.imported(from: "ics", .uuid($0)) }
      let habits = try await bench.store.habits()
      #expect(Set(habits.map(\.id)) == Set(names))
      #expect(habits.first { $0.id == names[1] }?.schedules.count == 6)
    }
  }

  @Test("The last event of a further habit that is gone no longer fires, and fires if it is back")
  func gone() async throws {
    try await CalendarBench.run { bench in
      let events = (0..<17).map { SiblingEvent(hour: String(format: "%02d30", $0)) }
      _ = try await bench.add(events)
      let further = HabitID.imported(from: "ics", .uuid("a 2"))
      let without = try await bench.add(events.dropLast())
      #expect(without.added == ["seen": 1, "updated": 1])
      #expect(try await bench.store.habits().map(\.schedules.count) == [16])
      #expect(try await bench.add(events.dropLast()).added == ["seen": 1])
      #expect(
        try await bench.add(events, comment: "back").added == ["seen": 1, "updated": 1])
      #expect(Set(try await bench.store.habits().map(\.schedules.count)) == [16, 1])
      // All events of the first habit are gone.
      _ = try await bench.add(events.suffix(1))
      #expect(try await bench.store.habits().map(\.id) == [further])
      // A person's archive stays.
      try await bench.store.archive(further)
      #expect(try await bench.add(events, comment: "again").updated == 1)
      #expect(try await bench.store.habits().map(\.schedules.count) == [16])
    }
  }

  @Test("A file that is older archives no further habit, and the report names the habits")
  func older() async throws {
    try await CalendarBench.run { bench in
      let events = Self.chain(17)
      // The file was imported before.
      _ = try await bench.add(events.dropLast())
      _ = try await bench.add(events)
      let known = try await bench.add(events.dropLast())
      #expect(known.older == [.imported(from: "ics", .uuid("0030 2"))] && known.updated == 0)
      // A calendar that writes the time of the export, and has changed its events since.
      _ = try await bench.add(
        events.map { event in
          var event = event.exported(3)
          event.lines.append("DESCRIPTION:With water")
          return event
        })
      let old = try await bench.add(events.dropLast().map { $0.exported(2) })
      #expect(old.older == [.imported(from: "ics", .uuid("0030"))] && old.updated == 0)
      #expect(try await bench.store.habits().count == 2)
    }
  }

  @Test("An event whose UID is the name of a further habit is an event of its own")
  func sameName() async throws {
    try await CalendarBench.run { bench in
      let pill = SiblingEvent(hour: "0800", sibling: nil).text
      let other = SiblingEvent(hour: "2300", sibling: nil).text.map {
        $0 == "UID:2300" ? "UID:0800 2" : $0
      }
      _ = try await bench.add(CalendarSamples.text(pill + other))
      #expect(try await bench.add(CalendarSamples.text(pill)).added == ["seen": 1])
      #expect(try await bench.store.habits().count == 2)
    }
  }

  @Test("A new event goes to no other habit if its own is deleted, full or not, and is reported")
  func deletedAndFull() async throws {
    try await CalendarBench.run { bench in
      let events = (0..<22).map { SiblingEvent(hour: String(format: "%02d30", $0)) }
      _ = try await bench.add(Array(events[..<20]))
      let habits = try await bench.store.habits()
      let full = try #require(habits.first { $0.schedules.count == 16 })
      let further = try #require(habits.first { $0.schedules.count == 4 })
      // The first habit has no room, and the further one is deleted.
      try await bench.store.delete(further.id)
      let report = try await bench.add(Array(events[..<21]))
      #expect(report.deleted == [further.id] && report.overflow == 0)
      try await bench.store.restore(further.id)
      try await bench.store.delete(full.id)
      #expect(try await bench.add(events).deleted == [full.id, full.id])
      #expect(try await bench.store.habits().map(\.schedules.count) == [4])
    }
  }

  @Test("A new event whose siblings' habit was deleted is left out, and the report names the habit")
  func deleted() async throws {
    try await CalendarBench.run { bench in
      let (morning, night) = (SiblingEvent(hour: "0800"), SiblingEvent(hour: "2300"))
      _ = try await bench.add(morning)
      let pill = try #require(try await bench.store.habits().first?.id)
      try await bench.store.delete(pill)
      #expect(try await bench.add(morning).deleted.isEmpty)
      for _ in 0..<2 {
        let report = try await bench.add(morning, night)
        #expect(report.added == ["seen": 1] && report.deleted == [pill])
      }
      #expect(try await bench.store.habits().isEmpty)
      // What the warning says to do.
      try await bench.store.restore(pill)
      let report = try await bench.add(morning, night.changed(1))
      #expect(report.added == ["updated": 1] && report.deleted.isEmpty)
      #expect(try await bench.reminders() == ["Pill": [morning.reminder, night.reminder]])
    }
  }
}
