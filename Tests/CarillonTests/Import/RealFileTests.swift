import Carillon
import CarillonImport
import Foundation
import Testing

/// Files of real people, if they exist next to the repository.
@Suite(.enabled(if: SampleBackup.hasReal))
struct RealFileTests {
  @Test("A real backup of Loop: 9 habits, 164 repetitions, and three titles that occur twice")
  func loop() async throws {
    try await withStoreAndFiles { store, _ in
      let file = SampleBackup.real.appending(path: "loop-backup.db")
      let report = try await store.importHabits(from: file, format: .loop)
      #expect(report.added == ["habits": 9, "entries": 164])
      #expect(report.ignored.mapValues(\.count) == [.colors: 9])
      let habits = try await store.habits()
      #expect(habits.count == 9)
      #expect(Set(habits.map(\.title)).count == 6)
      #expect(habits.first?.goal == Goal(count: 3, days: 7))
      let again = try await store.importHabits(from: file, format: .loop)
      #expect(again.seen == 173)
      #expect(again.entries == 0)
    }
  }

  @Test("A real CSV export of Loop")
  func loopCSV() async throws {
    try await withStoreAndFiles { store, _ in
      let report = try await store.importHabits(from: SampleBackup.real, format: .loopCSV)
      #expect(report.added == ["habits": 2, "entries": 6, "marks": 1])
      #expect(report.ignored.mapValues(\.count) == [.colors: 2, .derived: 3])
    }
  }

  @Test("A real CSV of HabitBull: 4 of its 18 rows are repeated")
  func habitBull() async throws {
    try await withStoreAndFiles { store, _ in
      let file = SampleBackup.real.appending(path: "habitbull.csv")
      let report = try await store.importHabits(from: file, format: .habitBull)
      #expect(report.added == ["habits": 4, "entries": 14, "repeated": 4])
      #expect(try await store.habits().map(\.group).contains("Diet & Food"))
    }
  }
}
