internal import CarillonModel

/// The declaration of a table, from which its creation, its insertion and its ordered selection are
/// derived.
struct Table: Sendable {
  let name: String
  /// The columns of the primary key come first.
  let columns: [Column]
  let keyCount: Int
  let merge: RowMerge
  let erasure: RowErasure
  /// The indexes, each as the text after `CREATE INDEX`: a name, `ON`, and the indexed columns.
  let indexes: [String]

  /// Declares a table.
  ///
  /// - Parameter values: The columns in addition to the key.
  init(
    _ name: String, _ merge: RowMerge, erasedWith erasure: RowErasure, key: [Column],
    _ values: [Column], indexes: [String] = []
  ) {
    self.name = name
    self.merge = merge
    self.erasure = erasure
    self.indexes = indexes
    columns = key + values
    keyCount = key.count
  }

  /// The columns of the primary key.
  var key: ArraySlice<Column> { columns[..<keyCount] }

  /// Creates the table and its indexes.
  var creation: String {
    let definitions = columns.map(\.definition) + ["PRIMARY KEY (\(Self.list(key)))"]
    return "CREATE TABLE \(name) (\(definitions.joined(separator: ", "))) STRICT, WITHOUT ROWID;"
      + indexes.map { "CREATE INDEX \($0);" }.joined()
  }

  /// Inserts one row, or merges it with the row of the same key.
  ///
  /// Has a parameter for each column.
  var insertion: String { insertion(of: 1) }

  /// Inserts ``rowsPerInsertion`` rows, or merges each with the row of the same key.
  ///
  /// Has a parameter for each column of each row.
  var insertionOfSeveral: String { insertion(of: Self.rowsPerInsertion) }

  /// The number of rows in one insertion of several, because a statement costs as much as a row.
  static let rowsPerInsertion = 16

  private func insertion(of rowCount: Int) -> String {
    let row = "(\(Array(repeating: "?", count: columns.count).joined(separator: ", ")))"
    let rows = Array(repeating: row, count: rowCount).joined(separator: ", ")
    return "INSERT\(merge.conflict) INTO \(name) (\(Self.list(columns[...]))) VALUES \(rows)"
      + (merge.condition(on: columns[keyCount...]).map(replacing) ?? "")
  }

  /// Selects all rows in key order, which is a pass along the clustered key.
  var orderedSelection: String {
    "SELECT \(Self.list(columns[...])) FROM \(name) ORDER BY \(Self.list(key))"
  }

  private func replacing(where condition: String) -> String {
    let updates = columns[keyCount...].map { column in
      merge == .greatestValues
        ? "\(column.name) = max(\(column.name), excluded.\(column.name))"
        : "\(column.name) = excluded.\(column.name)"
    }
    return " ON CONFLICT (\(Self.list(key))) DO UPDATE SET \(updates.joined(separator: ", "))"
      + " WHERE \(condition)"
  }

  static func list(_ columns: ArraySlice<Column>) -> String {
    columns.map(\.name).joined(separator: ", ")
  }
}

/// How a row is merged with another one of the same key: commutative and idempotent.
///
/// Events are ordered only by their IDs, compared bytewise, which is how SQLite compares blobs.
enum RowMerge: Hashable, Sendable {
  /// The row with the greatest event ID is kept: an LWW register.
  case greatestEvent
  /// The row with the least event ID is kept.
  case leastEvent
  /// The greatest of each value is kept: a max register.
  case greatestValues
  /// Every row is kept: a grow-only set.
  case all
  /// Every row is kept, except that of the rows that agree in the given number of key columns only
  /// the newest ``Retention/perSource`` are kept.
  case newest(by: Int)
  /// The row that is written last is kept.
  case last
  /// A second row of the same key is an error.
  case none

  /// The conflict clause of `INSERT`.
  fileprivate var conflict: String {
    switch self {
    case .all, .newest: " OR IGNORE"
    case .last: " OR REPLACE"
    case .greatestEvent, .leastEvent, .greatestValues, .none: ""
    }
  }

  /// The condition under which a row replaces the existing one.
  fileprivate func condition(on values: ArraySlice<Column>) -> String? {
    switch self {
    case .greatestEvent: "excluded.event > event"
    case .leastEvent: "excluded.event < event"
    case .greatestValues:
      values.map { "excluded.\($0.name) > \($0.name)" }.joined(separator: " OR ")
    case .all, .newest, .last, .none: nil
    }
  }
}

/// What a table's rows belong to, with which an erasure removes them.
enum RowErasure: Hashable, Sendable {
  /// No erasure removes the rows.
  case nothing
  /// The habit in the column `habit`.
  case habit
  /// The source of fetched items in the column `source`.
  case items
  /// The habit or the source of fetched items in the columns `kind` and `source`.
  case receipts

  /// The tables whose rows are erased in this way.
  var tables: [Table] { ProjectedTable.allCases.map(\.table).filter { $0.erasure == self } }
}

// MARK: - Retention

extension Table {
  /// Counts the rows that share the scope in which the newest are kept.
  var count: String { "SELECT count(*) FROM \(name) WHERE \(scope)" }

  /// Removes the oldest of these rows.
  var trim: String {
    let rest = Self.list(key.dropFirst(scopeCount))
    return """
      DELETE FROM \(name) WHERE \(scope) AND (\(rest)) = (
        SELECT \(rest) FROM \(name) WHERE \(scope) ORDER BY \(rest) LIMIT 1)
      """
  }

  /// The columns of the scope in which only the newest rows are kept; none if all are.
  var scopeKey: ArraySlice<Column> {
    guard case .newest(let count) = merge else { return [] }
    return columns[..<count]
  }

  /// Selects the scopes with too many rows, and their number of rows; nil if all rows are kept.
  var excessSelection: String? {
    guard !scopeKey.isEmpty else { return nil }
    let scope = Self.list(scopeKey)
    return """
      SELECT \(scope), count(*) FROM \(name) GROUP BY \(scope)
      HAVING count(*) > \(Retention.perSource)
      """
  }

  private var scopeCount: Int {
    precondition(!scopeKey.isEmpty, "table \(name) has no retention")
    return scopeKey.count
  }

  private var scope: String {
    key.prefix(scopeCount).enumerated().map { "\($1.name) = ?\($0 + 1)" }
      .joined(separator: " AND ")
  }
}
