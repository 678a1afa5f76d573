#if Service
internal import CarillonModel

/// The tables of the database, in numbered steps that are never changed once released.
enum Migrations {
  /// The steps in order; the first has number 1.
  private static let steps = [PackageResources._001_log_sql, PackageResources._002_hub_sql]

  /// The key of the lock that one process holds while it migrates: "carillon" as a number.
  private static let lock = "7161688346170617710"

  /// Applies the steps that a database lacks, in one transaction, while no other process does.
  ///
  /// - Throws: `unsupportedFormat` if the database has steps that this program does not know.
  static func apply(on connection: PostgresConnection) throws(LogError) {
    connection.add(PostgresStatement("BEGIN"))
    connection.add(PostgresStatement("SELECT pg_advisory_xact_lock(\(lock))"))
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
}
#endif
