import Carillon
import CarillonModel
import Foundation

/// Loop's CSV export: a folder with `Habits.csv`; `Checkmarks.csv`, which has a line for each date
/// and a column for each habit; and, in some versions, a folder with notes for each habit.
struct LoopCSV: ImportSource {
  static let name = ImportedTime.Source.loop.rawValue
  let habits: [Habit]
  let rowCount: Int
  let digest: [UInt8]
  private(set) var ignored: [ImportReport.Reason: ImportReport.Loss] = [:]
  /// The habit of each column after the date.
  private let columns: [Habit]
  private var reader: CSVReader
  private var notes: LoopNotes

  private static let files = ["Habits.csv", "Checkmarks.csv"]

  /// Reads the folder, or the folder of one of its two files.
  ///
  /// All files are read completely once, so that their format is known to be valid.
  init(_ place: URL) throws {
    let folder = try Self.folder(of: place)
    let (list, checks) = (
      folder.appending(path: Self.files[0]), folder.appending(path: Self.files[1])
    )
    let listBytes = try ImportFile.contents(of: list)
    let bytes = try ImportFile.contents(of: checks)
    var digest = ContentDigest()
    for part in [listBytes, bytes] { part.withUnsafeBytes { digest.update($0) } }
    let found = try LoopHabitsCSV.habits(listBytes, of: list)
    var ignored = self.ignored
    let habits = found.enumerated().map { index, habit in
      habit.habit(from: Self.name, at: "Habits.csv habit \(index + 1)", &ignored)
    }
    self.habits = habits
    self.ignored = ignored
    let titled = Array(zip(found.map(\.title), habits))
    notes = try LoopNotes(in: folder, of: titled, &digest)
    self.digest = digest.finalize()
    (reader, columns) = try Self.header(bytes, of: checks, habits: titled)
    var (whole, count) = (reader, 0)
    while let row = try whole.next() {
      try Self.check(row, columns, whole)
      count += 1
    }
    rowCount = count
  }

  mutating func next(_ limit: Int) throws -> ForeignBatch? {
    var batch = ForeignBatch()
    while batch.days.count < limit, batch.rows < limit, let row = try reader.next() {
      batch.rows += 1
      guard let date = CivilDate(row.values[0]) else { continue }
      for (habit, text) in zip(columns, row.values.dropFirst()) {
        let isNumerical = habit.kind == .count
        batch.add(
          LoopValue(Self.value(text, isNumerical: isNumerical), isNumerical: isNumerical),
          note: notes.take(of: habit.id, on: date), habit: habit.id, date: date,
          at: "Checkmarks.csv line \(row.line)", &ignored)
      }
    }
    if batch.rows < limit, batch.days.count < limit {
      for note in notes.takeRest() {
        batch.add(
          .unknown, note: note.text, habit: note.habit, date: note.date, at: note.place, &ignored)
      }
    }
    return batch.rows > 0 || !batch.days.isEmpty ? batch : nil
  }

  // MARK: - The files

  private static func folder(of place: URL) throws -> URL {
    let path = place.path(percentEncoded: false)
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw StoreError(
        code: .notFound, message: "there is no file \(path)",
        hint: "use the folder with \(files.joined(separator: " and "))")
    }
    if isDirectory.boolValue { return place }
    guard files.contains(place.lastPathComponent) else {
      _ = try ImportFile.contents(of: place)
      throw ImportFile.problem(
        place, "is neither \(files.joined(separator: " nor "))",
        hint: "use the folder with \(files.joined(separator: " and "))")
    }
    return place.deletingLastPathComponent()
  }

  // MARK: - The format

  /// Returns a reader after the header, and the habit of each column.
  ///
  /// Loop writes titles into the header without quotes, so a title with a comma looks like two
  /// columns. The header is therefore first compared with the exact line that the titles in
  /// `Habits.csv` produce.
  private static func header(
    _ bytes: [UInt8], of file: URL, habits: [(title: String, habit: Habit)]
  ) throws -> (CSVReader, [Habit]) {
    let whole = Array("Date,\(habits.map { $0.title + "," }.joined())\n".utf8)
    if bytes.starts(with: whole) {
      return (CSVReader(bytes, of: file, from: whole.count, line: 2), habits.map(\.habit))
    }
    var reader = CSVReader(bytes, of: file)
    var titles = try reader.next()?.values ?? []
    if titles.last == "" { titles.removeLast() }
    guard titles.first == "Date" else {
      throw reader.problem("does not start with the column Date", on: 1)
    }
    var rest = habits
    let columns = try titles.dropFirst().map { title in
      guard let index = rest.firstIndex(where: { $0.title == title }) else {
        throw reader.problem("has a column \"\(title)\", which is not a habit in Habits.csv", on: 1)
      }
      return rest.remove(at: index).habit
    }
    return (reader, columns)
  }

  private static func check(
    _ row: CSVReader.Row, _ columns: [Habit], _ reader: CSVReader
  ) throws {
    guard CivilDate(row.values[0]) != nil else {
      throw reader.problem(
        "starts with \"\(row.values[0])\", which is not a date YYYY-MM-DD", on: row.line)
    }
    let extra = row.values.count - 1 - columns.count
    guard extra == 0 || extra == 1 && row.values.last == "" else {
      throw reader.problem(
        "has \(row.values.count - 1) values for \(columns.count) habits", on: row.line)
    }
    for (habit, text) in zip(columns, row.values.dropFirst())
    where value(text, isNumerical: habit.kind == .count) == nil {
      throw reader.problem("has a value that Loop does not write: \"\(text)\"", on: row.line)
    }
  }

  /// Returns the number that Loop's database contains for a value.
  ///
  /// Loop prints an amount as a whole number of thousandths, so that 1500 is 1.5. Five numbers are
  /// printed as the names of marks, even if they are amounts: 0.002 prints as `YES_MANUAL`. A value
  /// with a decimal point was not written by Loop and is in units.
  private static func value(_ text: String, isNumerical: Bool) -> Int64? {
    switch text {
    case "", "UNKNOWN", "-1": -1
    case "NO": 0
    case "YES_AUTO": 1
    case "YES_MANUAL": 2
    case "SKIP": 3
    default:
      isNumerical && text.contains(".")
        ? Int64(thousandthsOf: text) : Int(digits: text).map(Int64.init)
    }
  }
}
