#if Service
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import Foundation

/// A lock of the server that says who uses a database.
///
/// Each connection of a pool shares it, so that none writes without it. A pool that uses the
/// database alone has it on one connection. It ends with its connection, also if the process is
/// killed.
enum DatabaseUse {
  private static let key = "hashtext('use of a hub'), 0"

  /// The statement that begins each connection, and returns whether it may be used.
  static func begin(_ use: HubUse) -> PostgresStatement {
    PostgresStatement("SELECT \(use == .shared ? "pg_try_advisory_lock_shared(\(key))" : "true")")
  }

  /// Returns a connection that has the lock alone.
  ///
  /// - Throws: `busy`, `io`.
  static func alone(_ options: PostgresOptions) throws -> PostgresConnection {
    let connection = try PostgresConnection(options)
    let end = ContinuousClock.now + HubUse.patience
    while try !connection.rows(PostgresStatement("SELECT pg_try_advisory_lock(\(key))"))[0]
      .flag(0, 0)
    {
      guard ContinuousClock.now < end else { throw HubUse.exclusive.refusal }
      usleep(50_000)
    }
    return connection
  }

  /// Checks on a connection that begins that hubs may use the database, unless it is used alone.
  ///
  /// A process without connections has no lock, and may have missed a migration.
  static func requireServing(
    _ use: HubUse, on connection: PostgresConnection
  ) throws(LogError) {
    guard use == .shared, let obstacle = try state(on: connection).obstacle else { return }
    connection.close()
    throw .refused(by: obstacle)
  }

  /// Returns whether hubs may use the database, which may not be that of a hub yet.
  static func state(on connection: PostgresConnection) throws(LogError) -> HubState {
    let rows = try connection.rows(PostgresStatement("SELECT state, source FROM hub"))[0]
    guard rows.count > 0 else { return .serving }
    let source = rows.isNull(0, 1) ? nil : rows.bytes(0, 1)
    guard let state = HubState(rows.text(0, 0), source: source) else {
      throw .corrupt("the state of the table hub is \(rows.text(0, 0))")
    }
    return state
  }

  /// Releases the lock and closes the connection, whose end the server may notice later.
  static func end(_ connection: PostgresConnection) {
    _ = try? connection.rows(PostgresStatement("SELECT pg_advisory_unlock(\(key))"))
    connection.close()
  }
}
#endif
