#if Service
internal import CarillonModel

/// The tables of the database, in numbered steps that are never changed once released.
///
/// From a step on, processes that do not know it write nothing: each commit checks that. So new
/// rules for writes are a step, too, also if the tables stay as they are.
struct Migrations {
  /// The steps in order; the first has number 1.
  let steps: [[UInt8]]

  /// Those that this build knows.
  static let all = Migrations(
    steps: [
      PackageResources._001_log_sql, PackageResources._002_hub_sql,
      PackageResources._003_state_sql, PackageResources._004_source_sql,
    ])

  /// The key of the lock that one process holds while it migrates: "carillon" as a number.
  private static let lock = "7161688346170617710"

  /// Applies the steps that a database lacks, in one transaction, while no other process does.
  ///
  /// - Throws: `unsupportedFormat` if the database has steps that this program does not know.
  func apply(on connection: PostgresConnection) throws(LogError) {
    connection.add(PostgresStatement("BEGIN"))
    connection.add(PostgresStatement("SELECT pg_advisory_xact_lock(\(Self.lock))"))
    connection.add(
      PostgresStatement("CREATE TABLE IF NOT EXISTS migration (number bigint PRIMARY KEY)"))
    let rows = try connection.rows(
      PostgresStatement("SELECT coalesce(max(number), 0) FROM migration"))
    let applied = try rows[0].integer(0, 0)
    guard applied <= steps.count else {
      connection.close()
      throw LogError(
        code: .unsupportedFormat,
        message: "the database has migration \(applied), but this build knows only \(steps.count)")
    }
    for (index, step) in steps.enumerated().dropFirst(Int(applied)) {
      for sql in String(decoding: step, as: UTF8.self).split(separator: ";\n") {
        connection.add(PostgresStatement(String(sql)))
      }
      connection.add(
        PostgresStatement("INSERT INTO migration VALUES ($1)", .integer(UInt64(index) + 1)))
    }
    try connection.commit()
  }

  /// A statement that the server refuses if another process has applied a step that is not known
  /// here.
  ///
  /// At the end of a transaction, it sees the steps of every process for whose commit the
  /// transaction has waited. It also writes: a transaction that writes nothing would not wait for
  /// the standby.
  var check: PostgresStatement {
    PostgresStatement(
      """
      SELECT pg_logical_emit_message(true, 'carillon', ''), 1 / ($1 >= max(number))::int
      FROM migration
      """, .integer(UInt64(steps.count)))
  }
}
#endif
