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

  private var statements: [String: Prepared] = [:]
  private var isClosed = false

  /// Takes the statement of a text; nil if none is here.
  func take(_ sql: String) -> Prepared? { statements.removeValue(forKey: sql) }

  /// Keeps a statement for its next use, or finalizes it.
  ///
  /// A pragma may act when it is prepared, so it is never kept.
  func put(_ prepared: Prepared, _ sql: String) {
    guard !isClosed, statements.count < Self.maxCount, statements[sql] == nil,
      !sql.hasPrefix("PRAGMA")
    else { return prepared.finalize() }
    sqlite3_reset(prepared.handle)
    sqlite3_clear_bindings(prepared.handle)
    statements[sql] = prepared
  }

  /// Finalizes all statements, and keeps none from now on.
  func close() {
    isClosed = true
    for statement in statements.values { statement.finalize() }
    statements = [:]
  }
}
