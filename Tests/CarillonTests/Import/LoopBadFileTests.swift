import Carillon
import CarillonImport
import CarillonTesting
import CarillonTestSupport
import Foundation
import GRDB
import Testing

/// Files that are not a backup of Loop, or are damaged.
struct LoopBadFileTests {
  @Test("A file that is not a database is refused, and so is an empty one")
  func noDatabase() async throws {
    try await withStoreAndFiles { store, files in
      let file = files.appending(path: "notes.txt")
      try Data(String(repeating: "not a database\n", count: 200).utf8).write(to: file)
      try await store.expectRefusal(of: file, .loop, says: "notes.txt", "not a SQLite database")
      try Data().write(to: file)
      try await store.expectRefusal(of: file, .loop, says: "notes.txt", "not a backup of Loop")
      try await store.expectRefusal(
        of: files.appending(path: "absent.db"), .loop, code: .notFound, says: "absent.db")
      try await store.expectRefusal(of: files, .loop, says: "is a directory")
    }
  }

  @Test(
    "A database that is not Loop's is refused, and the error names what is missing",
    arguments: [
      ("DROP TABLE Repetitions", "tables Habits and Repetitions"),
      ("DROP TABLE Repetitions; CREATE VIEW Repetitions AS SELECT 1 AS habit", "tables"),
      ("ALTER TABLE Habits RENAME COLUMN freq_num TO often", "freq_num"),
      ("ALTER TABLE Repetitions RENAME COLUMN timestamp TO time", "timestamp"),
      ("PRAGMA user_version = 0", "version is 0"),
    ])
  func otherDatabase(change: String, says: String) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(by: change, in: files)
      try await store.expectRefusal(of: file, .loop, says: "not a backup of Loop", says)
    }
  }

  @Test(
    "A database that computes something is refused, and nothing of it is computed",
    arguments: [
      "CREATE INDEX i ON Repetitions(length(hex(zeroblob(timestamp))))",
      "CREATE INDEX i ON Habits(Id) WHERE length(name) > 0",
      "ALTER TABLE Repetitions ADD COLUMN extra AS (length(hex(zeroblob(timestamp))))",
    ])
  func computing(change: String) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(by: change, in: files)
      try await store.expectRefusal(of: file, .loop, says: "not a backup of Loop", "are computed")
    }
  }

  @Test("A check of a table is not run")
  func check() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: "PRAGMA writable_schema = ON",
        """
        UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - 1) || ', CHECK (abs(-1) = 2))'
        WHERE name = 'Repetitions'
        """, repetitions: 10, in: files)
      _ = try await store.importHabits(from: file, format: .loop)
    }
  }

  @Test("An error about a file has a hint")
  func hints() async throws {
    try await withStoreAndFiles { store, files in
      let file = files.appending(path: "notes.db")
      try Data(String(repeating: "not a database\n", count: 200).utf8).write(to: file)
      let error = await #expect(throws: StoreError.self) {
        try await store.importHabits(from: file, format: .loop)
      }
      #expect(error?.hint?.contains("export a full backup from Loop") == true)
    }
  }

  @Test("A later version than any known is refused by number")
  func laterVersion() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(by: "PRAGMA user_version = 26", in: files)
      try await store.expectRefusal(
        of: file, .loop, code: .unsupportedFormat, says: "version 26", "9 to 25")
    }
  }

  @Test("A text that is not UTF-8 is refused with its table and row")
  func invalidText() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: "UPDATE Habits SET name = CAST(x'41FF42' AS TEXT)", in: files)
      try await store.expectRefusal(of: file, .loop, says: "Habits row 1", "name", "UTF-8")
    }
  }

  @Test(
    "Habit IDs that repeat or are not numbers are refused",
    arguments: [
      ("INSERT INTO H SELECT * FROM H LIMIT 1", "two rows"),
      ("UPDATE H SET id = NULL", "not an integer"),
      ("UPDATE H SET id = 'one'", "not an integer"),
    ])
  func badIDs(change: String, says: String) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: """
          CREATE TABLE H AS SELECT * FROM Habits; DROP TABLE Habits; \(change);
          ALTER TABLE H RENAME TO Habits
          """, in: files)
      try await store.expectRefusal(of: file, .loop, says: says)
    }
  }

  @Test("A repetition that cannot be read is found before anything is written")
  func lateDamage() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: """
          INSERT INTO Repetitions (habit, timestamp, value, notes)
          VALUES (1, 0, 2, 'good'), (1, 86400000, 2, CAST(x'41FF42' AS TEXT))
          """, in: files)
      try await store.expectRefusal(of: file, .loop, says: "notes is not UTF-8")
      #expect(try await store.habits(includingArchived: true).isEmpty)
    }
  }

  @Test("A pipe and a device are refused", .timeLimit(.minutes(30)))
  func noRegularFile() async throws {
    try await withStoreAndFiles { store, files in
      let pipe = files.appending(path: "pipe")
      #expect(mkfifo(pipe.path, 0o600) == 0)
      for file in [pipe, URL(filePath: "/dev/zero")] {
        try await store.expectRefusal(of: file, .loop, says: "not a regular file")
      }
    }
  }

  @Test("Two habits with the same UUID are refused")
  func equalNames() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: "UPDATE Habits SET uuid = 'same'", habits: 2, in: files)
      try await store.expectRefusal(of: file, .loop, says: "rows 1 and 2", "same")
    }
  }

  @Test("A database in use is refused, since part of its data is in another file")
  func inUse() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(in: files)
      let journal = files.appending(path: "backup.db-wal")
      try Data("something".utf8).write(to: journal)
      try await store.expectRefusal(of: file, .loop, says: "in use", "backup.db-wal")
      try Data().write(to: journal)
      #expect(try await store.importHabits(from: file, format: .loop).habits == 8)
    }
  }

  @Test("The file and its directory are not written to, in WAL mode and read-only too")
  func untouched() async throws {
    try await withStoreAndFiles { store, files in
      let folder = files.appending(path: "backup")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let file = try await SampleBackup.changed(
        by: "PRAGMA journal_mode = WAL", habits: 4, in: folder)
      let before = try (Data(contentsOf: file), FileManager.default.subpaths(atPath: folder.path))
      #expect(try await store.importHabits(from: file, format: .loop).habits == 4)
      let after = try (Data(contentsOf: file), FileManager.default.subpaths(atPath: folder.path))
      #expect(before == after)
    }
  }

  /// Bytes are flipped at many places of the file, and each result is imported into the same store.
  ///
  /// It may be refused with nothing written, or imported if only a value is damaged.
  @Test("A damaged backup is refused or read, and never partly imported", .timeLimit(.minutes(30)))
  func damaged() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    var places: [(offset: Int, bits: UInt8)] = []
    for _ in 0..<150 {
      places.append(
        (Int.random(in: 0..<40_960, using: &random), .random(in: 1...255, using: &random)))
    }
    // Most damage shows in the header and in the schema on the first page.
    for offset in stride(from: 0, to: 200, by: 7) { places.append((offset, 0xFF)) }
    try await withStoreAndFiles { [places] store, files in
      let sample = try await SampleBackup.make(repetitions: 80, in: files)
      let whole = try Data(contentsOf: sample)
      var refused = 0
      for place in places {
        var bytes = whole
        bytes[place.offset % bytes.count] ^= place.bits
        let file = files.appending(path: "damaged.db")
        try bytes.write(to: file)
        let before = try store.lastPosition()
        do {
          _ = try await store.importHabits(from: file, format: .loop)
        } catch let error as StoreError {
          refused += 1
          let known: [StoreError.Code] = [.invalidValue, .unsupportedFormat]
          #expect(known.contains(error.code), "seed \(seed), \(place): \(error)")
          #expect(!error.message.contains("***"), "seed \(seed), \(place): \(error)")
          #expect(try store.lastPosition() == before, "seed \(seed), \(place)")
        }
      }
      #expect(refused > 10, "seed \(seed)")
      #expect(try await store.verify() == [], "seed \(seed)")
    }
  }

  @Test("A backup that was cut off is refused", arguments: [1, 99, 4_096, 20_000, 40_000])
  func cutOff(size: Int) async throws {
    try await withStoreAndFiles { store, files in
      let whole = try Data(contentsOf: try await SampleBackup.make(in: files))
      let file = files.appending(path: "cut.db")
      try whole.prefix(size).write(to: file)
      try await store.expectRefusal(of: file, .loop, says: "cut.db")
    }
  }
}
