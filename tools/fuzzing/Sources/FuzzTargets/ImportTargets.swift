@testable import Carillon
import CarillonModel
import CarillonTesting
import CarillonWire
import Foundation

extension FuzzTarget {
  static let importTargets = [
    FuzzTarget(name: "csv", maxByteCount: 4_096, seeds: Imports.csvSeeds, run: Imports.readCSV),
    FuzzTarget(
      name: "loop-csv", maxByteCount: 4_096, seeds: Imports.loopCSVSeeds, run: Imports.readLoopCSV),
    FuzzTarget(
      name: "habitbull", maxByteCount: 4_096, seeds: Imports.habitBullSeeds,
      run: Imports.readHabitBull),
    // Its seeds are made by tools/sample-backup.
    FuzzTarget(name: "loop", maxByteCount: 65_536, seeds: { [] }, run: Imports.readLoop),
  ]
}

/// Other apps' files.
private enum Imports {
  private static let directory = Result { try TemporaryDirectory() }

  /// A CSV to rows: all have as many values, and their lines rise.
  static func readCSV(_ bytes: UnsafeRawBufferPointer) {
    var reader = CSVReader([UInt8](bytes), of: URL(filePath: "/input.csv"))
    var last: CSVReader.Row?
    while let row = try? reader.next() {
      hold(row.line > last?.line ?? 0, "lines rise")
      hold(row.values.count == last?.values.count ?? row.values.count, "no row is ragged")
      last = row
    }
  }

  /// The two files of Loop's CSV export; the first NUL parts them.
  static func readLoopCSV(_ bytes: UnsafeRawBufferPointer) throws {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let folder = try directory.get().url
    try Data(parts[0]).write(to: folder.appending(path: "Habits.csv"))
    try Data(parts.dropFirst().joined()).write(to: folder.appending(path: "Checkmarks.csv"))
    guard let source = try? LoopCSV(folder) else { return }
    try read(source)
  }

  static func readHabitBull(_ bytes: UnsafeRawBufferPointer) throws {
    let file = try directory.get().url.appending(path: "habitbull.csv")
    try Data(bytes).write(to: file)
    guard let source = try? HabitBullCSV(file) else { return }
    try read(source)
  }

  static func readLoop(_ bytes: UnsafeRawBufferPointer) throws {
    let file = try directory.get().url.appending(path: "backup.db")
    try Data(bytes).write(to: file)
    guard let source = try? LoopBackup(file) else { return }
    try read(source)
  }

  /// Reads a file whose form was found to be right to its end: what it gives can be recorded.
  private static func read<Source: ImportSource>(_ source: Source) throws {
    var source = source
    for habit in source.habits {
      _ = try PayloadCoding.encode(.habitCreated(HabitFields(creating: habit)))
      for slot in habit.slots {
        _ = try PayloadCoding.encode(.slotSet(SlotSet(habit: habit.id, slot: slot)))
      }
    }
    var rowCount = 0
    while let batch = try source.next(100) {
      hold(batch.rows > 0, "a part has rows")
      rowCount += batch.rows
      for day in batch.days { _ = try PayloadCoding.encode(payload(of: day)) }
    }
    hold(rowCount == source.rowCount, "\(rowCount) of \(source.rowCount) rows were read")
  }

  private static func payload(of day: ForeignDay) -> Payload {
    switch day.fact {
    case .done(let value, let note):
      .entryRecorded(
        EntryRecorded(
          habit: day.habit, date: day.date, kind: .imported(source: "loop"), value: value,
          note: note))
    case .marked(let mark):
      .dayMarked(DayMarked(habit: day.habit, first: day.date, last: day.date, mark: mark))
    }
  }

  // MARK: - Seeds

  static func csvSeeds() -> [[UInt8]] {
    Vectors.texts([
      "", "\u{FEFF}a,b\r\n1,2\r\n", "a\n\"x\"\"y,\n\"\n\n", "a,b\n1\n", "a\n\"", "a\r", "é,\n,\n",
      "a\"\n", "\"a\"b\n",
    ])
  }

  static func loopCSVSeeds() -> [[UInt8]] {
    let header =
      "Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,"
      + "Target Type,Target Value,Archived?\n"
    let habits =
      "001,Walk,YES_NO,Did you?,\"Far, and fast\",1,7,#FF8F00,,,,false\n"
      + "002,Water,NUMERICAL,,,1,1,#FF8F00,glasses,AT_MOST,2.5,true\n003,Walk,,,,,,,,,,\n"
    let checks = "Date,Walk,Water,Walk,\n2016-03-18,YES_MANUAL,2.5,SKIP,\n2016-03-17,NO,-1,1,\n"
    let old = "Name,Description,NumRepetitions,Interval,Color\n\"Read, write\",,3,7,#FF8F00\n"
    return Vectors.texts([
      header + habits + "\0" + checks, old + "\0Date,Read, write,\n2016-03-18,2,\n",
      "Name\nWalk\n\0Date,Walk\n2016-03-18,YES_AUTO\n2016-03-17,UNKNOWN\n",
    ])
  }

  static func habitBullSeeds() -> [[UInt8]] {
    let header = "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
    return Vectors.texts([
      header + "Walk,\"far, and fast\",Health,2016-03-18,1,rain\nWater,,,2016-03-18,2.5,\n"
        + "Walk,\"far, and fast\",Health,2016-03-19,0,ill\n",
      header,
    ])
  }
}
