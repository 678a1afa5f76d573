import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// Notes on dates.
@Suite struct NoteTests {
  private static let week: ClosedRange<CivilDate> = "2026-11-16"..."2026-11-22"

  @Test("A note can be replaced and removed, does not mark the habit as done, and is written once")
  func register() async throws {
    try await withPhoneAndWatch { phone, _, _ in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let day = HabitDate.date("2026-11-20")
      #expect(try await phone.setNote("Rain", of: walk.id, on: day).events.count == 1)
      #expect(try await phone.setNote("Rain", of: walk.id, on: day).events.isEmpty)
      #expect(try await phone.setNote("Sun", of: walk.id, on: day).events.count == 1)
      #expect(try await phone.notes(of: walk.id, in: Self.week) == ["2026-11-20": ["Sun"]])
      #expect(try await phone.state().days[walk.id] == nil)
      #expect(try await phone.records().map(\.fact) == [.noted("Sun")])
      try await phone.setNote(nil, of: walk.id, on: day)
      #expect(try await phone.notes(of: walk.id, in: Self.week).isEmpty)
      #expect(try await phone.records().isEmpty)
      for text in ["", String(repeating: "a", count: 2_001)] {
        await #expect(throws: StoreError.self) { try await phone.setNote(text, of: walk.id) }
      }
    }
  }

  @Test("Records of a date are ordered as mark, note, entries, wherever a page ends")
  func pages() async throws {
    try await withPhoneAndWatch { phone, _, _ in
      for title in ["Walk", "Read"] {
        let habit = try await phone.add(Habit(title, .daily(at: ["17:00"])))
        for date: CivilDate in ["2026-11-19", "2026-11-20"] {
          try await phone.skip(habit.id, on: .date(date))
          try await phone.markDone(habit.id, on: .date(date))
          try await phone.setNote("Rain", of: habit.id, on: .date(date))
        }
      }
      let all = try await phone.records()
      #expect(all.count == 12)
      for (index, record) in all.enumerated() {
        switch (index % 3, record.fact) {
        case (0, .marked), (1, .noted), (2, .done): break
        default: Issue.record("\(index): \(record.fact)")
        }
      }
      for limit in 1...5 {
        var (paged, last): ([DayRecord], DayRecord?) = ([], nil)
        while true {
          let page = try await phone.records(after: last, limit: limit)
          guard let end = page.last else { break }
          paged += page
          last = end
        }
        #expect(paged == all, "\(limit) a page")
      }
    }
  }

  @Test("Two replicas keep the later note, and an erasure removes it")
  func replicas() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await phone.sync(with: watch)
      let day = HabitDate.date("2026-11-20")
      try await phone.setNote("Rain", of: walk.id, on: day)
      clock.advance(seconds: 60)
      try await watch.setNote("Snow", of: walk.id, on: day)
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.notes(of: walk.id, in: Self.week) == ["2026-11-20": ["Snow"]])
      }
      try await phone.erase(.habit(walk.id))
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.notes(of: walk.id, in: Self.week).isEmpty)
        #expect(try await store.payloadCount(naming: walk.id) == 0)
      }
      #expect(try await phone.stateDigest() == watch.stateDigest())
    }
  }
}
