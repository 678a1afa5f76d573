import Carillon
import CarillonModel
import Foundation

/// HabitBull's CSV: one row for each date of each habit.
///
/// It has no habit IDs; rows with the same name belong to one habit.
struct HabitBullCSV: ImportSource {
  static let name = ImportedTime.Source.habitBull.rawValue
  let habits: [Habit]
  let rowCount: Int
  let digest: [UInt8]
  private(set) var ignored: [ImportReport.Reason: ImportReport.Loss] = [:]
  private let byName: [String: Habit]
  private var table: CSVTable

  private static let columns = [
    "HabitName", "HabitDescription", "HabitCategory", "CalendarDate", "Value", "CommentText",
  ]

  /// Reads the whole file once, so that its format is known to be valid.
  init(_ file: URL) throws {
    let bytes = try ImportFile.contents(of: file)
    var digest = ContentDigest()
    bytes.withUnsafeBytes { digest.update($0) }
    self.digest = digest.finalize()
    table = try CSVTable(bytes, of: file, needed: Self.columns)
    var (found, order, count) = ([String: ForeignHabit](), [String](), 0)
    var whole = table
    while let row = try whole.next() {
      _ = try Self.date(row)
      let amount = try Self.amount(row)
      count += 1
      let name = row["HabitName"] ?? ""
      if found[name] == nil {
        found[name] = ForeignHabit(row, name: name)
        order.append(name)
      }
      // A habit with any other value counts amounts.
      if ![0, 1000].contains(amount) { found[name]?.isNumerical = true }
    }
    rowCount = count
    var ignored = self.ignored
    let named = order.compactMap { name in
      found[name].map { (name, $0.habit(from: Self.name, at: "habit \(name)", &ignored)) }
    }
    habits = named.map(\.1)
    byName = Dictionary(uniqueKeysWithValues: named)
    self.ignored = ignored
  }

  mutating func next(_ limit: Int) throws -> ForeignBatch? {
    var batch = ForeignBatch()
    while batch.rows < limit, let row = try table.next() {
      batch.rows += 1
      guard let habit = byName[row["HabitName"] ?? ""] else { continue }
      let amount = try Self.amount(row)
      batch.add(
        amount == 0 ? .marked(.no) : .done(amount), note: row["CommentText"], habit: habit.id,
        date: try Self.date(row), at: "line \(row.line)", &ignored)
    }
    return batch.rows > 0 ? batch : nil
  }

  private static func date(_ row: CSVTable.Row) throws -> CivilDate {
    guard let date = row["CalendarDate"].flatMap(CivilDate.init) else {
      throw row.problem("CalendarDate", "is not a date YYYY-MM-DD")
    }
    return date
  }

  /// Returns the amount: 0 is not done, 1 is done, and any other number is an amount.
  private static func amount(_ row: CSVTable.Row) throws -> Int64 {
    guard let amount = row["Value"].flatMap(Int64.init(thousandthsOf:)) else {
      throw row.problem("Value", "is not a number from 0 to 10^9 with at most three decimal places")
    }
    return amount
  }
}

extension ForeignHabit {
  fileprivate init(_ row: CSVTable.Row, name: String) {
    self.init(
      key: .title(name.precomposedStringWithCanonicalMapping, ordinal: 0), title: name,
      notes: row["HabitDescription"], group: row["HabitCategory"])
  }
}

extension Int64 {
  /// Creates a number of thousandths from a decimal between 0 and 10^9.
  ///
  /// Digits after the third decimal place must be 0.
  init?(thousandthsOf text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Int(digits: parts[0]),
      whole <= Amount.maxThousandths / 1_000
    else { return nil }
    var fraction = parts.count == 2 ? String(parts[1]) : "0"
    while fraction.count > 3, fraction.hasSuffix("0") { fraction.removeLast() }
    fraction += String(repeating: "0", count: Swift.max(0, 3 - fraction.count))
    guard fraction.count == 3, parts.last?.isEmpty == false, let thousandths = Int(digits: fraction)
    else { return nil }
    self = Int64(whole * 1000 + thousandths)
  }
}
