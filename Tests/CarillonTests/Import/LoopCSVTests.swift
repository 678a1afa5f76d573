import Carillon
import CarillonImport
import Foundation
import Testing

/// Loop's CSV export: a folder of two files.
struct LoopCSVTests {
  private static let header =
    "Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,"
    + "Target Type,Target Value,Archived?\n"

  /// Writes the two files.
  private static func write(
    _ habits: String, _ checks: String, in folder: URL
  ) throws -> URL {
    try Data(habits.utf8).write(to: folder.appending(path: "Habits.csv"))
    try Data(checks.utf8).write(to: folder.appending(path: "Checkmarks.csv"))
    return folder
  }

  @Test("Habits and their records are read from the two files")
  func whole() async throws {
    try await withStoreAndFiles { store, files in
      let folder = try Self.write(
        Self.header + """
          001,Meditate,YES_NO,Did you?,Daily,2,3,#FF8F00,,,,false
          002,Run,NUMERICAL,,,1,7,#00897B,km,AT_MOST,2.5,true

          """,
        """
        Date,Meditate,Run,
        2015-01-04,YES_MANUAL,1500,
        2015-01-03,NO,2.25,
        2015-01-02,YES_AUTO,SKIP,
        2015-01-01,SKIP,UNKNOWN,

        """, in: files)
      let report = try await store.importHabits(from: folder, format: .loopCSV)
      #expect(report.added == ["habits": 2, "entries": 3, "skips": 2, "marks": 1])
      #expect(report.ignored[.derived]?.count == 1)
      #expect(report.ignored[.colors]?.count == 2)
      let habits = try await store.habits(includingArchived: true)
      #expect(habits.map(\.title) == ["Meditate", "Run"])
      #expect(habits[0].question == "Did you?")
      #expect(habits[0].notes == "Daily")
      #expect(habits[0].goal == Quota(count: 2, per: .rolling(days: 3)))
      #expect(habits[1].kind == .count)
      #expect(habits[1].target == 2.5)
      #expect(habits[1].direction == .atMost)
      #expect(habits[1].isArchived)
      let amounts = try await store.allRecords().compactMap { record in
        if case .done(_, let amount, _, _) = record.fact {
          record.habit == habits[1].id ? amount.thousandths : nil
        } else {
          nil
        }
      }
      #expect(amounts == [2_250, 1_500])
      for place in [folder, folder.appending(path: "Habits.csv")] {
        let again = try await store.importHabits(from: place, format: .loopCSV)
        #expect(again.entries + again.habits + again.skips + again.marks == 0)
        #expect(again.seen == 8)
      }
    }
  }

  /// Loop prints an amount as a whole number of thousandths, except that five numbers are printed
  /// as the names of marks.
  @Test("A number without a point is in thousandths; the smallest are printed as names of marks")
  func amounts() async throws {
    try await withStoreAndFiles { store, files in
      let folder = try Self.write(
        "Name,Type\nRun,NUMERICAL\n",
        """
        Date,Run,
        2015-01-09,1500,
        2015-01-08,1000000000000,
        2015-01-07,7,
        2015-01-06,YES_MANUAL,
        2015-01-05,YES_AUTO,
        2015-01-04,NO,
        2015-01-03,SKIP,
        2015-01-02,UNKNOWN,
        2015-01-01,2.5,

        """, in: files)
      let report = try await store.importHabits(from: folder, format: .loopCSV)
      #expect(report.added == ["habits": 1, "entries": 7, "skips": 1])
      #expect(report.ignored.isEmpty)
      let amounts = try await store.allRecords().compactMap { record in
        if case .done(_, let amount, _, _) = record.fact { amount.thousandths } else { nil }
      }
      #expect(amounts == [2_500, 0, 1, 2, 7, 1_000_000_000_000, 1_500])
    }
  }

  @Test("Notes in the habits' folders are imported with their entries, or as notes of their dates")
  func notes() async throws {
    try await withStoreAndFiles { store, files in
      let folder = try Self.write(
        "Name\nRun & fly\nMeditate\nWalk\n",
        """
        Date,Run & fly,Meditate,Walk,
        2015-01-03,YES_MANUAL,YES_MANUAL,NO,
        2015-01-02,NO,YES_MANUAL,NO,

        """, in: files)
      func write(_ text: String, to name: String) throws {
        let habit = folder.appending(path: name)
        try FileManager.default.createDirectory(at: habit, withIntermediateDirectories: false)
        try Data(text.utf8).write(to: habit.appending(path: "Checkmarks.csv"))
      }
      // One date has no entry, and one is not in the file of all habits.
      try write(
        "Date,Value,Notes\n2015-01-03,YES_MANUAL,\"far, \"\"fast\"\"\nand back\"\n"
          + "2015-01-02,NO,tired\n2015-01-01,YES_MANUAL,lost\n", to: "001 Run  fly")
      // The format of older versions, and a folder of no habit.
      try write("2015-01-03,2\n", to: "002 Meditate")
      try write("Date,Value,Notes\n2015-01-03,NO,another\n", to: "003 Other")
      let report = try await store.importHabits(from: folder, format: .loopCSV)
      #expect(report.added == ["habits": 3, "entries": 3, "marks": 3, "notes": 2])
      let run = try #require(try await store.habits().first { $0.title == "Run & fly" })
      #expect(
        try await store.notes(of: run.id, in: "2015-01-01"..."2015-01-03") == [
          "2015-01-01": ["lost"], "2015-01-02": ["tired"],
          "2015-01-03": ["far, \"fast\"\nand back"],
        ])
      try Data("Date,Value,Notes\nsoon,NO,x\n".utf8).write(
        to: folder.appending(path: "001 Run  fly/Checkmarks.csv"))
      try await store.expectRefusal(
        of: folder, .loopCSV, says: "001 Run  fly/Checkmarks.csv line 2", "soon")
    }
  }

  @Test("The formats of older versions are read: other columns, and numbers for values")
  func older() async throws {
    try await withStoreAndFiles { store, files in
      let folder = try Self.write(
        "Position,Name,Description,NumRepetitions,Interval,Color\n001,Walk,Did you?,3,7,#000000\n",
        "Date,Walk,\n2016-01-03,2,\n2016-01-02,1,\n2016-01-01,0,\n", in: files)
      let report = try await store.importHabits(from: folder, format: .loopCSV)
      #expect(report.added == ["habits": 1, "entries": 1, "marks": 1])
      let habit = try #require(try await store.habits().first)
      #expect(habit.question == "Did you?")
      #expect(habit.goal == Quota(count: 3, per: .rolling(days: 7)))
    }
  }

  @Test("Columns are found for unquoted titles with commas, and for equal titles")
  func titles() async throws {
    try await withStoreAndFiles { store, files in
      let folder = try Self.write(
        "Name\n\"Read, write\"\nVegan\nVegan\n",
        "Date,Read, write,Vegan,Vegan,\n2016-01-01,NO,NO,YES_MANUAL,\n", in: files)
      let report = try await store.importHabits(from: folder, format: .loopCSV)
      #expect(report.added == ["habits": 3, "entries": 1, "marks": 2])
    }
  }

  @Test(
    "Files in another format are refused with file and line",
    arguments: [
      ("Name\nWalk\n", "Date,Run,\n2016-01-01,NO,\n", "Checkmarks.csv line 1", "\"Run\""),
      ("Name\nWalk\n", "Day,Walk,\n2016-01-01,NO,\n", "Checkmarks.csv line 1", "Date"),
      ("Name\nWalk\n", "Date,Walk,\n2016-01-01,NO,NO,\n", "Checkmarks.csv line 2", "3 values"),
      ("Name\nWalk\n", "Date,Walk,\n2016-01-01,MAYBE,\n", "Checkmarks.csv line 2", "MAYBE"),
      ("Name\nWalk\n", "Date,Walk,\n1/1/2016,NO,\n", "Checkmarks.csv line 2", "1/1/2016"),
      ("Title\nWalk\n", "Date,Walk,\n", "Habits.csv line 1", "no column Name"),
      ("Name,Mood\nWalk,\n", "Date,Walk,\n", "Habits.csv line 1", "Mood"),
      ("Name,Name\nWalk,\n", "Date,Walk,\n", "Habits.csv line 1", "twice"),
      ("Name,Position\nWalk,x\n", "Date,Walk,\n", "Habits.csv line 2", "Position"),
      ("Name,Type\nWalk,ODD\n", "Date,Walk,\n", "Habits.csv line 2", "YES_NO or NUMERICAL"),
      ("", "", "Habits.csv line 1", "no column Name"),
      ("PK\u{3}\u{4}", "", "Habits.csv", "zip archive"),
    ])
  func refused(habits: String, checks: String, place: String, says: String) async throws {
    try await withStoreAndFiles { store, files in
      let folder = try Self.write(habits, checks, in: files)
      try await store.expectRefusal(of: folder, .loopCSV, says: place, says)
    }
  }

  @Test("A folder without its files, or another file, is refused by name")
  func missing() async throws {
    try await withStoreAndFiles { store, files in
      try await store.expectRefusal(of: files, .loopCSV, code: .notFound, says: "Habits.csv")
      let other = files.appending(path: "Scores.csv")
      try Data("Date,Score\n".utf8).write(to: other)
      try await store.expectRefusal(of: other, .loopCSV, says: "Scores.csv", "Checkmarks.csv")
      let zip = files.appending(path: "Loop.zip")
      try Data([0x50, 0x4B, 0x03, 0x04, 0x00]).write(to: zip)
      try await store.expectRefusal(of: zip, .loopCSV, says: "Loop.zip", "zip archive")
    }
  }

  @Test("Dates before 1970 and after 2200 are counted, and everything else is imported")
  func dates() async throws {
    try await withStoreAndFiles { store, files in
      let folder = try Self.write(
        "Name\nWalk\n",
        "Date,Walk,\n2201-01-01,NO,\n2200-12-31,NO,\n1970-01-01,NO,\n1969-12-31,NO,\n", in: files)
      let report = try await store.importHabits(from: folder, format: .loopCSV)
      #expect(report.marks == 2)
      #expect(report.ignored[.dates]?.count == 2)
      #expect(report.ignored[.dates]?.first == "Checkmarks.csv line 2")
    }
  }
}
