#if Service
internal import CarillonLog
internal import CarillonModel

/// The small tables of a store in one transaction of a connection.
struct PostgresTables: LogTables {
  let meta: MetaTable
  /// The random stamp of the last commit.
  let commit: UInt64
  private let connection: PostgresConnection
  private let last: UInt64
  private let heads: PostgresRows
  private let closings: PostgresRows

  /// The version of the format of rows.
  static let version: UInt32 = 1

  /// The statements that read the tables of a store.
  static func statements(_ store: StoreID) -> [PostgresStatement] {
    let id = PostgresValue.bytes(store.bytes)
    return [
      PostgresStatement("SELECT name, value FROM meta WHERE store = $1", id),
      PostgresStatement(
        """
        SELECT head.branch, value, run.branch, sequence, position, count FROM head
        LEFT JOIN LATERAL (
          SELECT branch, sequence, position, count FROM run
          WHERE store = $1 AND run.branch = head.branch ORDER BY sequence DESC LIMIT 1
        ) AS run ON true
        WHERE store = $1 ORDER BY head.branch
        """, id),
      PostgresStatement(
        "SELECT position, value FROM closing WHERE store = $1 ORDER BY position", id),
    ]
  }

  /// - Parameters:
  ///   - rows: What ``statements(_:)`` returned.
  ///   - row: The row of the store in the same transaction.
  ///   - connection: For what a repair must look at.
  /// - Throws: `unsupportedFormat`, `corrupt`.
  init(
    _ rows: [PostgresRows], _ row: LogRow, on connection: PostgresConnection
  ) throws(LogError) {
    var values: [String: [UInt8]] = [:]
    for index in 0..<rows[0].count { values[rows[0].text(index, 0)] = rows[0].bytes(index, 1) }
    meta = try MetaTable(values, version: Self.version)
    (self.connection, commit, last) = (connection, row.stamp, row.lastPosition)
    (heads, closings) = (rows[1], rows[2])
  }

  func lastPosition() -> UInt64 { last }

  func branchRows() throws -> [BranchRow] {
    try (0..<heads.count).map {
      try BranchRow(index: heads.integer32($0, 0), value: heads.bytes($0, 1))
    }
  }

  func closingRows() throws -> [ClosingRow] {
    try (0..<closings.count).map {
      try ClosingRow(position: closings.integer($0, 0), value: closings.bytes($0, 1))
    }
  }

  func lastRun(of branch: UInt32) throws -> StoredRun? {
    let index = Int(branch)
    guard index < heads.count, !heads.isNull(index, 2) else { return nil }
    return try StoredRun(heads, index, from: 2)
  }

  func lastRunBranch() throws -> UInt32? {
    // A row of `run` and the row of its branch are written by one commit.
    heads.count == 0 ? nil : try heads.integer32(heads.count - 1, 0)
  }

  func view(_ state: LogState) -> any LogView { PostgresSnapshot(connection, state) }
}
#endif
