internal import CarillonModel

/// A row that differs from what the events result in.
package struct RowDifference: Hashable, Sendable {
  /// How a row differs.
  package enum Kind: String, Sendable {
    case different, missing, superfluous, unreadable
  }

  /// The table's name.
  package let table: String
  /// The row's key, with a name and a value for each column: `habit 3f… day 2026-11-23`.
  package let key: String
  /// How the row differs.
  package let kind: Kind

  /// Creates a value from its parts.
  package init(table: String, key: String, kind: Kind = .different) {
    self.table = table
    self.key = key
    self.kind = kind
  }
}

/// The differences of projections: the first ones of each table, and the number of all.
package struct RowDifferences: Hashable, Sendable {
  /// The first differences of each table.
  package private(set) var rows: [RowDifference] = []
  /// The number of differences by table.
  package private(set) var counts: [String: Int] = [:]

  /// The number of differences of a table that are kept.
  package static let maxPerTable = 10

  mutating func add(_ row: RowDifference) {
    counts[row.table, default: 0] += 1
    if counts[row.table, default: 0] <= Self.maxPerTable { rows.append(row) }
  }

  /// Adds the differences that a check finds, or the table if it cannot be read.
  mutating func add(checking table: String, _ check: () throws -> [RowDifference]) throws {
    do {
      for row in try check().prefix(100) where !rows.contains(row) {
        rows.append(row)
        counts[row.table, default: 0] += 1
      }
    } catch let error as ProjectionError where error.code == .damaged {
      add(RowDifference(table: table, key: error.message, kind: .unreadable))
    }
  }
}

/// A comparison of two projections row by row, in key order.
struct RowComparison {
  let served: Connection
  let fresh: Connection

  /// Returns the first row that is missing, superfluous or different.
  func firstDifference() throws -> RowDifference? {
    var first: RowDifference?
    try visitDifferences {
      first = $0
      return false
    }
    return first
  }

  /// Calls `body` with each row that is missing, superfluous or different, in the order of tables
  /// and keys, until it returns false.
  ///
  /// A damaged page of the projections in use comes before all rows, whichever table it belongs to.
  /// A table that cannot be read to its end is reported at its end.
  ///
  /// - Complexity: O(rows). Memory use is constant.
  func visitDifferences(_ body: (RowDifference) throws -> Bool) throws {
    if let damage = try Self.damage(of: served), try !body(damage) { return }
    // Before the rows: if the log is damaged, the rows are right, and a rebuild would lose them.
    let known = Set(try served.missingPositions())
    for damaged in try fresh.missingPositions() where !known.contains(damaged) {
      let key = "position \(damaged.rawValue)"
      guard try body(RowDifference(table: "unconfirmed", key: key)) else { return }
    }
    for table in ProjectedTable.allCases.map(\.table) {
      do {
        guard try visitDifferences(in: table, body) else { return }
      } catch let error as ProjectionError where error.code == .damaged {
        let damage = RowDifference(table: table.name, key: error.message, kind: .unreadable)
        guard try body(damage) else { return }
      }
    }
    let (served, fresh) = (try Checkpoint(served), try Checkpoint(fresh))
    let isEqual =
      served.event == fresh.event && served.unknownCount == fresh.unknownCount
      && served.unreadableCount == fresh.unreadableCount
    if isEqual { return }
    _ = try body(
      RowDifference(table: "checkpoint", key: "position \(fresh.position.rawValue)"))
  }

  /// Returns the first page in use that is damaged or has the wrong contents.
  static func damage(of connection: Connection) throws -> RowDifference? {
    try damages(of: connection, "PRAGMA quick_check(1)").first
  }

  /// Returns the differences between the tables in use and their indexes, in both directions, at
  /// most 10.
  func indexDamages() throws -> [RowDifference] {
    try Self.damages(of: served, "PRAGMA integrity_check(10)")
  }

  private static func damages(of connection: Connection, _ sql: String) throws -> [RowDifference] {
    let check = try connection.prepare(sql)
    var damages: [RowDifference] = []
    while try check.step() {
      let text = try check.text(0)
      if text != "ok" {
        damages.append(RowDifference(table: "file", key: text, kind: .unreadable))
      }
    }
    return damages
  }

  /// Returns the sources of which more facts are kept than ``Retention/perSource``.
  func excessFacts() throws -> [RowDifference] {
    var excess: [RowDifference] = []
    for table in ProjectedTable.allCases.map(\.table) {
      guard let selection = table.excessSelection else { continue }
      let rows = try served.prepare(selection)
      while try rows.step() {
        let count = rows.integer(table.scopeKey.count)
        excess.append(
          RowDifference(
            table: table.name,
            key: "\(table.text(of: table.scopeKey, in: rows)): \(count) rows, at most "
              + "\(Retention.perSource) are kept", kind: .superfluous))
      }
    }
    return excess
  }

  /// Visits two tables at the same time: of two different keys, the lesser one is missing in the
  /// other table.
  private func visitDifferences(
    in table: Table, _ body: (RowDifference) throws -> Bool
  ) throws -> Bool {
    let left = try served.prepare(table.orderedSelection)
    let right = try fresh.prepare(table.orderedSelection)
    var (hasLeft, hasRight) = (try left.step(), try right.step())
    while hasLeft || hasRight {
      let different =
        hasLeft && hasRight
        ? table.columns.indices.first { left.column($0) != right.column($0) } : 0
      guard let different else {
        (hasLeft, hasRight) = (try left.step(), try right.step())
        continue
      }
      let isSameKey = different >= table.keyCount
      let isLeft =
        hasLeft && (!hasRight || isSameKey || left.column(different) < right.column(different))
      let difference = RowDifference(
        table: table.name, key: table.text(of: table.key, in: isLeft ? left : right),
        kind: isSameKey ? .different : isLeft ? .superfluous : .missing)
      guard try body(difference) else { return false }
      if isLeft { hasLeft = try left.step() }
      if !isLeft || isSameKey { hasRight = try right.step() }
    }
    return true
  }
}

extension Table {
  /// Returns the first columns of a statement's row as text for people.
  fileprivate func text(of columns: ArraySlice<Column>, in row: Statement) -> String {
    columns.enumerated().map { index, column in
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
