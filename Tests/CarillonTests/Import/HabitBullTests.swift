import Carillon
import CarillonImport
import Foundation
import Testing

/// HabitBull's CSV.
struct HabitBullTests {
  private static let header =
    "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"

  private static func write(_ text: String, in folder: URL) throws -> URL {
    let file = folder.appending(path: "habitbull.csv")
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test("Rows with the same name are one habit; values and comments keep their dates")
  func whole() async throws {
    try await withStoreAndFiles { store, files in
      let file = try Self.write(
        Self.header + """
          Walk,"far, and fast",Health,2016-03-18,1,rain
          Walk,"far, and fast",Health,2016-03-19,0,ill
          Walk,"far, and fast",Health,2016-03-18,1,rain
          Water,glasses,,2016-03-18,2.5,
          Water,glasses,,2016-03-19,1,

          """, in: files)
      let report = try await store.importHabits(from: file, format: .habitBull)
      #expect(report.added == ["habits": 2, "entries": 3, "marks": 1, "notes": 1, "repeated": 1])
      let habits = try await store.habits().sorted { $0.title < $1.title }
      #expect(habits.map(\.title) == ["Walk", "Water"])
      #expect(habits.map(\.kind) == [.yesNo, .count])
      #expect(habits[0].notes == "far, and fast")
      #expect(habits[0].group == "Health")
      let again = try await store.importHabits(from: file, format: .habitBull)
      #expect(again.added == ["seen": 7, "repeated": 1])
    }
  }

  @Test("A repeated row is found at any distance, and the first row counts")
  func repeatedLater() async throws {
    try await withStoreAndFiles { store, files in
      let first: CivilDate = "2001-01-01"
      let dates = (0..<5_000).map { first.adding(days: $0) }
      let rows = dates.map { "Walk,,,\($0),1,\n" }.joined()
      let file = try Self.write(
        Self.header + rows + "Walk,,,2001-01-01,7,\nWalk,,,2001-01-01,0,\n", in: files)
      let report = try await store.importHabits(from: file, format: .habitBull)
      #expect(report.added == ["habits": 1, "entries": 5_000, "marks": 1, "repeated": 1])
      let habit = try #require(try await store.habits().first)
      #expect(try await store.entries(of: habit.id, on: .date(first)).map(\.amount) == [1])
    }
  }

  @Test(
    "Files in another format are refused with the line, and nothing before it is written",
    arguments: [
      ("Walk,,,2016-03-18,1\n", "line 2", "5 values"),
      ("Walk,,,2016-03-18,1,\nWalk,,,2016-03-18,1,,\n", "line 3", "7 values"),
      ("Walk,,,18.3.2016,1,\n", "line 2", "CalendarDate"),
      ("Walk,,,2016-02-30,1,\n", "line 2", "2016-02-30"),
      ("Walk,,,2016-03-18,much,\n", "line 2", "Value"),
      ("Walk,,,2016-03-18,-1,\n", "line 2", "-1"),
      ("Walk,,,2016-03-18,1.2345,\n", "line 2", "three decimal places"),
      ("Walk,,,2016-03-18,,\n", "line 2", "Value"),
    ])
  func refused(rows: String, line: String, says: String) async throws {
    try await withStoreAndFiles { store, files in
      let file = try Self.write(Self.header + rows, in: files)
      try await store.expectRefusal(of: file, .habitBull, says: "habitbull.csv", line, says)
    }
  }

  @Test("Other columns are refused")
  func otherColumns() async throws {
    try await withStoreAndFiles { store, files in
      for (text, says) in [
        ("Date,Value\n", "HabitName"), (Self.header.dropLast() + ",Mood\n", "Mood"),
        ("", "HabitName"),
      ] {
        let file = try Self.write(String(text), in: files)
        try await store.expectRefusal(of: file, .habitBull, says: "line 1", says)
      }
    }
  }
}
