@testable import Carillon
@testable import CarillonImport
import CarillonModel
import CarillonTestSupport
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
    FuzzTarget(name: "ics", maxByteCount: 8_192, seeds: Imports.icsSeeds, run: Imports.readICS),
    FuzzTarget(
      name: "holidays", maxByteCount: 8_192, seeds: Imports.icsSeeds, run: Imports.readHolidays),
    // tools/sample-backup makes its seeds.
    FuzzTarget(name: "loop", maxByteCount: 65_536, seeds: { [] }, run: Imports.readLoop),
  ]
}

/// The files of other apps.
private enum Imports {
  private static let directory = Result { try TemporaryDirectory() }

  /// CSV to rows: all have the same number of values, and their line numbers increase.
  static func readCSV(_ bytes: UnsafeRawBufferPointer) {
    var reader = CSVReader([UInt8](bytes), of: URL(filePath: "/input.csv"))
    var last: CSVReader.Row?
    while let row = try? reader.next() {
      hold(row.line > last?.line ?? 0, "line numbers increase")
      hold(
        row.values.count == last?.values.count ?? row.values.count,
        "all rows have the same number of values")
      last = row
    }
  }

  /// The two files of Loop's CSV export, separated by the first NUL.
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

  /// A calendar: every line is read or refused, and the results can be recorded.
  static func readICS(_ bytes: UnsafeRawBufferPointer) throws {
    let source: ICalendar
    do {
      source = try ICalendar([UInt8](bytes), named: "input.ics")
    } catch is StoreError {
      return
    }
    hold(Set(source.habits.map(\.id)).count == source.habits.count, "each UID is one habit")
    try read(source)
  }

  /// A calendar of holidays: their dates are within the range.
  static func readHolidays(_ bytes: UnsafeRawBufferPointer) throws {
    let file = try directory.get().url.appending(path: "holidays.ics")
    try Data(bytes).write(to: file)
    let range: ClosedRange<CivilDate> = "2026-01-01"..."2027-12-31"
    guard let holidays = try? CalendarDates(file, in: range) else { return }
    hold(holidays.dates.allSatisfy(range.contains), "holidays are within the range")
  }

  static func readLoop(_ bytes: UnsafeRawBufferPointer) throws {
    let file = try directory.get().url.appending(path: "backup.db")
    try Data(bytes).write(to: file)
    guard let source = try? LoopBackup(file) else { return }
    try read(source)
  }

  /// Reads a file of a recognized format to its end: the results can be recorded.
  private static func read<Source: ImportSource>(_ source: Source) throws {
    var source = source
    for habit in source.habits {
      _ = try PayloadCoding.encode(.habitCreated(HabitFields(creating: habit)))
      for schedule in habit.schedules {
        _ = try PayloadCoding.encode(.scheduleSet(ScheduleSet(habit: habit.id, schedule: schedule)))
      }
    }
    var rowCount = Source.countsHabits ? source.habits.count : 0
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
    case .noted(let text):
      .noteRecorded(NoteRecorded(habit: day.habit, date: day.date, text: text))
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

  static func icsSeeds() -> [[UInt8]] {
    let zone =
      "BEGIN:VTIMEZONE\r\nTZID:Own\r\nX-LIC-LOCATION:Asia/Tokyo\r\nBEGIN:STANDARD\r\n"
      + "DTSTART:19700101T000000\r\nTZOFFSETFROM:+0900\r\nTZOFFSETTO:+0900\r\nEND:STANDARD\r\n"
      + "END:VTIMEZONE\r\n"
    let alarm =
      "BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:Mat\\, and\r\n  water\r\n"
      + "TRIGGER;RELATED=END:-PT5M\r\nREPEAT:2\r\nDURATION:PT2M\r\nEND:VALARM\r\n"
    let place =
      "BEGIN:VALARM\r\nACTION:AUDIO\r\nATTACH;VALUE=URI:Chord\r\nX-APPLE-PROXIMITY:DEPART\r\n"
      + "X-APPLE-STRUCTURED-LOCATION;X-APPLE-RADIUS=150;X-TITLE=\"A:b\":geo:52.52,-13.4\r\n"
      + "END:VALARM\r\n"
    let series =
      "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Yoga\r\nSEQUENCE:2\r\nLAST-MODIFIED:20260101T000000Z\r\n"
      + "DTSTART;TZID=Own:20260105T180000\r\nDTEND;TZID=Europe/Berlin:20260105T190000\r\n"
      + "RRULE:FREQ=WEEKLY;WKST=MO;UNTIL=20261228T170000Z;BYDAY=MO,TH\r\n"
      + "EXDATE:20260112T090000Z\r\nRDATE;VALUE=PERIOD:20260113T090000Z/PT1H\r\n"
      + alarm + "END:VEVENT\r\n"
    let instance =
      "BEGIN:VEVENT\r\nUID:1\r\nRECURRENCE-ID;TZID=Own:20260108T180000\r\n"
      + "DTSTART:20260109T073000Z\r\nDURATION:P1DT1H\r\nEND:VEVENT\r\n"
    let toDo =
      "BEGIN:VTODO\nUID:2\nDUE;VALUE=DATE:20260105\nSTATUS:COMPLETED\n"
      + "COMPLETED:20260106T225900Z\nCATEGORIES:A,B\nEND:VTODO\n"
    let day =
      "BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260105\nRRULE:FREQ=YEARLY;UNTIL=20300101T000000Z\n"
      + "BEGIN:VALARM\nTRIGGER;VALUE=DATE-TIME:20260104T170000Z\nEND:VALARM\nEND:VEVENT\n"
    let head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-TIMEZONE:America/New_York\r\n"
    return Vectors.texts([
      head + series + instance + zone + "END:VCALENDAR\r\n", head + toDo + day + "END:VCALENDAR\n",
      head + "BEGIN:VEVENT\nDTSTART:20260105T073000\n" + place + alarm
        + "END:VEVENT\nEND:VCALENDAR\n", head + "BEGIN:VEVENT\n",
    ])
  }
}
