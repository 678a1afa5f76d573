internal import GRDBSQLite

/// The prepared statements of a connection that are not in use.
///
/// Preparing a statement costs more than running most of them. It is used on the connection's
/// thread only.
final class StatementCache {
  /// A statement of SQLite, with the memory for its parameters.
  struct Prepared {
    let handle: OpaquePointer
    let scratch: UnsafeMutableRawPointer

    func finalize() {
      sqlite3_finalize(handle)
      scratch.deallocate()
    }
  }

  /// The maximum number of statements; about 4 KB each.
  private static let maxCount = 64

  /// The statements, the last used one at the end.
  ///
  /// An array, because texts are found by comparing few of them, while a dictionary hashes a text
  /// each time.
  private var statements: [(sql: String, prepared: Prepared)] = []
  private var isClosed = false

  /// Takes the statement of a text; nil if none is here.
  func take(_ sql: String) -> Prepared? {
    index(of: sql).map { statements.remove(at: $0).prepared }
  }

  /// Keeps a statement for its next use, or finalizes it.
  ///
  /// A pragma may act when it is prepared, so it is never kept.
  func put(_ prepared: Prepared, _ sql: String) {
    guard !isClosed, statements.count < Self.maxCount, index(of: sql) == nil,
      !sql.hasPrefix("PRAGMA")
    else { return prepared.finalize() }
    sqlite3_reset(prepared.handle)
    sqlite3_clear_bindings(prepared.handle)
    statements.append((sql, prepared))
  }

  /// Finalizes all statements, and keeps none from now on.
  func close() {
    isClosed = true
    for (_, prepared) in statements { prepared.finalize() }
    statements = []
  }

  private func index(of sql: String) -> Int? {
    let count = sql.utf8.count
    return statements.lastIndex { $0.sql.utf8.count == count && $0.sql == sql }
  }
}
