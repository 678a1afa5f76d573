import Carillon
import CarillonModel
import Foundation

/// A CSV file whose first line names its columns.
struct CSVTable {
  private var reader: CSVReader
  private let columns: [String: Int]

  /// Reads the first line.
  ///
  /// - Parameters:
  ///   - needed: The required columns.
  ///   - known: The optional columns. Any other column is refused, since its data would be lost.
  init(_ bytes: [UInt8], of file: URL, needed: [String], known: [String] = []) throws {
    var reader = CSVReader(bytes, of: file)
    let names = try reader.next()?.values ?? []
    let missing = needed.filter { !names.contains($0) }
    guard missing.isEmpty else {
      throw reader.problem(
        "has no column \(missing.joined(separator: ", ")); "
          + "its columns are: \(Self.excerpt(names))", on: 1)
    }
    let others = names.filter { !(needed + known).contains($0) }
    guard others.isEmpty, Set(names).count == names.count else {
      throw reader.problem(
        others.isEmpty
          ? "names a column twice"
          : "has an unknown column: \(Self.excerpt([others[0]]))", on: 1)
    }
    columns = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    self.reader = reader
  }

  /// Returns the first few names, each shortened for a message.
  private static func excerpt(_ names: [String]) -> String {
    let shown = names.prefix(10).map { name in
      name.count > 40 ? "\(name.prefix(40))..." : name
    }.joined(separator: ", ")
    return names.count > 10 ? "\(shown) and \(names.count - 10) more" : shown
  }

  /// Whether the file has a column.
  func has(_ column: String) -> Bool { columns[column] != nil }

  /// One row, with its values by column.
  struct Row {
    let line: Int
    private let table: CSVTable
    private let values: [String]

    fileprivate init(_ row: CSVReader.Row, of table: CSVTable) {
      line = row.line
      values = row.values
      self.table = table
    }

    /// The value of a column; nil if it is empty or the file has no such column.
    subscript(column: String) -> String? {
      guard let index = table.columns[column], !values[index].isEmpty else { return nil }
      return values[index]
    }

    /// Returns an error about a value in the wrong format.
    func problem(_ column: String, _ message: String) -> StoreError {
      table.reader.problem("column \(column): \"\(self[column] ?? "")\" \(message)", on: line)
    }
  }

  /// Returns the next row; nil at the end.
  mutating func next() throws -> Row? {
    try reader.next().map { Row($0, of: self) }
  }
}
