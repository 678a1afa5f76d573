internal import CarillonModel

/// A row that differs from what the events result in.
package struct RowDifference: Hashable, Sendable {
  /// The table's name.
  package let table: String
  /// The row's key, with a name and a value for each column: `habit 3f… day 2026-11-23`.
  package let key: String

  /// Creates a value from its parts.
  package init(table: String, key: String) {
    self.table = table
    self.key = key
  }
}

/// A comparison of two projections row by row, in key order.
struct RowComparison {
  let served: Connection
  let fresh: Connection

  /// Returns the first row that is missing, superfluous or different.
  ///
  /// A damaged page of the projections in use comes before all rows, whichever table it belongs to.
  func firstDifference() throws -> RowDifference? {
    if let damage = try Self.damage(of: served) { return damage }
    // Before the rows: if the log is damaged, the rows are right, and a rebuild would lose them.
    let known = Set(try served.missingPositions())
    if let damaged = try fresh.missingPositions().first(where: { !known.contains($0) }) {
      return RowDifference(table: "unconfirmed", key: "position \(damaged.rawValue)")
    }
    for table in ProjectedTable.allCases.map(\.table) {
      if let key = try firstDifference(in: table) {
        return RowDifference(table: table.name, key: key)
      }
    }
    let (served, fresh) = (try Checkpoint(served), try Checkpoint(fresh))
    let isEqual =
      served.event == fresh.event && served.unknownCount == fresh.unknownCount
      && served.unreadableCount == fresh.unreadableCount
    return isEqual
      ? nil : RowDifference(table: "checkpoint", key: "position \(fresh.position.rawValue)")
  }

  /// Returns the first page in use that is damaged or has the wrong contents.
  static func damage(of connection: Connection) throws -> RowDifference? {
    let check = try connection.prepare("PRAGMA quick_check(1)")
    while try check.step() {
      let text = try check.text(0)
      guard text == "ok" else { return RowDifference(table: "file", key: text) }
    }
    return nil
  }

  private func firstDifference(in table: Table) throws -> String? {
    let left = try served.prepare(table.orderedSelection)
    let right = try fresh.prepare(table.orderedSelection)
    while true {
      let (hasLeft, hasRight) = (try left.step(), try right.step())
      guard hasLeft, hasRight else {
        if hasLeft { return table.key(of: left) }
        return hasRight ? table.key(of: right) : nil
      }
      let different = table.columns.indices.first { left.column($0) != right.column($0) }
      guard let different else { continue }
      // If the keys differ, the other side lacks the row with the lesser key.
      let isLeftFirst =
        different >= table.keyCount
        || left.column(different) < right.column(different)
      return table.key(of: isLeftFirst ? left : right)
    }
  }
}

extension Table {
  /// Returns the key of a statement's row as text for people.
  fileprivate func key(of row: Statement) -> String {
    key.enumerated().map { index, column in
      "\(column.name) \(Self.text(row.column(index), column: column.name))"
    }.joined(separator: " ")
  }

  private static func text(_ value: ColumnValue, column: String) -> String {
    switch value {
    case .null: "null"
    case .integer(let integer) where column == "day":
      CivilDate(rawValue: Int32(clamping: integer)).description
    case .integer(let integer) where column == "field":
      UInt32(exactly: integer).flatMap(HabitField.init(rawValue:))?.name ?? String(integer)
    case .integer(let integer): String(integer)
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .blob(let bytes):
      Identifier<Never>(bytes: bytes)?.description ?? bytes.hexadecimal
    }
  }
}

/// The order of SQLite: null, numbers, texts, blobs. Texts and blobs are compared bytewise.
extension ColumnValue: Comparable {
  package static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
      left.elementsEqual(right)
    default: false
    }
  }

  package static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
      left.lexicographicallyPrecedes(right)
    default: left.rank < right.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer: 1
    case .text: 2
    case .blob: 3
    }
  }
}
