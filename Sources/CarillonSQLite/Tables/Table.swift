/// A table, declared once: what makes it, what writes its rows and what reads them in order follow.
struct Table: Sendable {
  let name: String
  /// The columns of the primary key come first.
  let columns: [Column]
  let keyCount: Int
  let merge: RowMerge
  /// Each as `CREATE INDEX` goes on: a name, `ON`, and what is indexed.
  let indexes: [String]

  /// Declares a table.
  ///
  /// - Parameter values: The columns besides the key.
  init(
    _ name: String, _ merge: RowMerge, key: [Column], _ values: [Column], indexes: [String] = []
  ) {
    self.name = name
    self.merge = merge
    self.indexes = indexes
    columns = key + values
    keyCount = key.count
  }

  /// The columns of the primary key.
  var key: ArraySlice<Column> { columns[..<keyCount] }

  /// Makes the table and its indexes.
  var creation: String {
    let definitions = columns.map(\.definition) + ["PRIMARY KEY (\(Self.list(key)))"]
    return "CREATE TABLE \(name) (\(definitions.joined(separator: ", "))) STRICT, WITHOUT ROWID;"
      + indexes.map { "CREATE INDEX \($0);" }.joined()
  }

  /// Writes one row, or lets it meet the row of its key; a parameter for each column.
  var insertion: String {
    let parameters = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return
      "INSERT\(merge.conflict) INTO \(name) (\(Self.list(columns[...]))) VALUES (\(parameters))"
      + (merge.condition(on: columns[keyCount...]).map(replacing) ?? "")
  }

  /// All rows, in key order: a walk along the clustered key.
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

/// What happens where a row meets one of its key: commutative and idempotent.
///
/// Only event IDs decide between events, compared bytewise; that is how SQLite compares blobs.
enum RowMerge: Hashable, Sendable {
  /// The row of the greatest event ID holds: an LWW register.
  case greatestEvent
  /// The row of the least event ID holds.
  case leastEvent
  /// Of each value the greatest holds.
  case greatestValues
  /// Every row holds: a grow-only set.
  case all
  /// Every row holds, but of those that agree in so many columns of the key only the newest
  /// ``Retention/perSource``.
  case newest(by: Int)
  /// The row that is written last holds.
  case last
  /// A second row of a key is an error.
  case none

  /// How `INSERT` goes on.
  fileprivate var conflict: String {
    switch self {
    case .all, .newest: " OR IGNORE"
    case .last: " OR REPLACE"
    case .greatestEvent, .leastEvent, .greatestValues, .none: ""
    }
  }

  /// When a row replaces the one that is there.
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

// MARK: - What is kept of many

extension Table {
  /// Counts the rows that agree in the columns by which the newest are kept.
  var count: String { "SELECT count(*) FROM \(name) WHERE \(scope)" }

  /// Removes the oldest of them.
  var trim: String {
    let rest = Self.list(key.dropFirst(scopeCount))
    return """
      DELETE FROM \(name) WHERE \(scope) AND (\(rest)) = (
        SELECT \(rest) FROM \(name) WHERE \(scope) ORDER BY \(rest) LIMIT 1)
      """
  }

  private var scopeCount: Int {
    guard case .newest(let count) = merge else { preconditionFailure("\(name) keeps everything") }
    return count
  }

  private var scope: String {
    key.prefix(scopeCount).enumerated().map { "\($1.name) = ?\($0 + 1)" }
      .joined(separator: " AND ")
  }
}
