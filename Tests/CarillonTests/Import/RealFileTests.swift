import Carillon
import CarillonImport
import CarillonModel
import Foundation
import GRDB
import Testing

/// Files of real people, if they exist next to the repository.
@Suite(.enabled(if: SampleBackup.hasReal, "there are no files of real people here"))
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
      #expect(habits.first?.goal == Quota(count: 3, per: .rolling(days: 7)))
      let again = try await store.importHabits(from: file, format: .loop)
      #expect(again.seen == 173)
      #expect(again.entries == 0)
    }
  }

  @Test("Each habit of a real backup has Loop's score, on any date")
  func loopScore() async throws {
    let file = SampleBackup.real.appending(path: "loop-backup.db")
    var configuration = Configuration()
    configuration.readonly = true
    let database = try DatabaseQueue(path: file.path, configuration: configuration)
    let rows = try database.read { database in
      try Row.fetchAll(
        database, sql: "SELECT Id, name, freq_num, freq_den FROM Habits ORDER BY position")
    }
    let done = try await database.read { database in
      try Row.fetchAll(database, sql: "SELECT habit, timestamp FROM Repetitions").reduce(
        into: [Int64: Set<CivilDate>]()
      ) { done, row in
        let day = (row["timestamp"] as Int64) / 86_400_000
        done[row["habit"], default: []].insert(CivilDate(rawValue: Int32(day)))
      }
    }
    try database.close()
    try await withStoreAndFiles { store, _ in
      _ = try await store.importHabits(from: file, format: .loop)
      let (habits, state) = (try await store.habits(), try await store.state())
      #expect(habits.map(\.title) == rows.map { $0["name"] as String })
      let calendar = CivilCalendar(zone: try #require(TimeZone(identifier: "Europe/Berlin")))
      var greatest = 0.0
      for (habit, row) in zip(habits, rows) {
        let dates = try #require(done[row["Id"]])
        let (first, last) = (try #require(dates.min()), try #require(dates.max()))
        for today in (first...last.adding(days: 30)) {
          let score = loopScore(
            dates, from: first, to: today, times: row["freq_num"], days: row["freq_den"])
          let adherence = Adherence(
            of: habit, created: today, days: state.days[habit.id] ?? [:], pauses: [], today: today,
            calendar: calendar)
          #expect(abs(adherence.strength - score) < 0.01, "\(habit.title) on \(today)")
          greatest = max(greatest, score)
        }
      }
      #expect(greatest > 0.1)
    }
  }

  /// Computes the score of a habit that is not counted, as Loop does.
  private func loopScore(
    _ done: Set<CivilDate>, from first: CivilDate, to last: CivilDate, times: Int, days: Int
  ) -> Double {
    let frequency = Double(times) / Double(days)
    let factor = frequency < 1 ? 2 : 1
    let multiplier = pow(0.5, frequency.squareRoot() / 13)
    return (first...last).reduce(0) { score, date in
      let window = date.adding(days: 1 - factor * days)...date
      let part = min(1, Double(done.count(where: window.contains)) / Double(factor * times))
      return score * multiplier + part * (1 - multiplier)
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
