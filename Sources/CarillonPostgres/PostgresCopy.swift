#if Service
internal import CarillonModel

/// A copy of a person's rows from one database to another, in a transaction of each.
struct PostgresCopy {
  private let person: PostgresValue
  private let source: PostgresConnection
  private let target: PostgresConnection

  /// The number of rows of events that are read at once.
  private static let pageCount = 16

  init(_ person: StoreID, from source: PostgresConnection, to target: PostgresConnection) {
    (self.person, self.source, self.target) = (.bytes(person.bytes), source, target)
  }

  /// Replaces what the other database has of the person; the copy is not in use.
  func run() throws {
    target.add(PostgresStatement("DELETE FROM log WHERE store = $1 AND is_fenced", person))
    let columns = "store, stamp, last_position, byte_count, byte_quota, device_quota"
    try insert(
      "log (\(columns), is_fenced)",
      source.rows(
        PostgresStatement("SELECT \(columns), true FROM log WHERE store = $1", person))[0])
    for table in PostgresErasure.tables where !["log", "run"].contains(table) {
      try insert(
        table,
        source.rows(PostgresStatement("SELECT * FROM \(table) WHERE store = $1", person))[0])
    }
    var last: UInt64 = 0
    while true {
      let rows = try source.rows(
        PostgresStatement(
          """
          SELECT run.*, position FROM run WHERE store = $1 AND position > $2
          ORDER BY position LIMIT \(Self.pageCount)
          """, person, .integer(last)))[0]
      guard rows.count > 0 else { return }
      last = try rows.integer(rows.count - 1, rows.columnCount - 1)
      try insert("run", rows, columnCount: rows.columnCount - 1)
    }
  }

  private func insert(_ table: String, _ rows: PostgresRows, columnCount: Int? = nil) throws {
    let columns = 0..<(columnCount ?? rows.columnCount)
    let places = columns.map { "$\($0 + 1)" }.joined(separator: ", ")
    for row in 0..<rows.count {
      target.add(
        PostgresStatement(
          "INSERT INTO \(table) VALUES (\(places))", columns.map { rows.raw(row, $0) }))
    }
    _ = try target.rows()
  }
}
#endif
