#if Service
import CarillonModel
import Testing

@testable import CarillonPostgres

/// Statements on one connection.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresConnectionTests {
  @Test("A statement with values is prepared once, also after its preparation was aborted")
  func prepared() throws {
    let connection = try PostgresConnection(PostgresServer.shared.get().options)
    defer { connection.close() }
    func successor(of number: UInt64) throws -> UInt64 {
      let rows = try connection.rows(PostgresStatement("SELECT $1 + 1", .integer(number)))
      return try rows[0].integer(0, 0)
    }
    connection.add(PostgresStatement("SELECT 1 / 0"))
    #expect(throws: LogError.self) { try successor(of: 1) }
    for number in 0..<3 as Range<UInt64> {
      let found = try successor(of: number)
      #expect(found == number + 1)
    }
    let rows = try connection.rows(
      PostgresStatement("SELECT count(*) FROM pg_prepared_statements"))
    #expect(try rows[0].integer(0, 0) == 1)
  }

  @Test("A limit on idle sessions that the role has does not end a connection")
  func idle() throws {
    let server = try PostgresServer.shared.get()
    let options = try server.newRole(in: server.newDatabase())
    try server.run("ALTER ROLE \(options.role) SET idle_session_timeout = '500ms'")
    let connection = try PostgresConnection(options)
    defer { connection.close() }
    let rows = try connection.rows(
      PostgresStatement(
        "SELECT setting, reset_val FROM pg_settings WHERE name = 'idle_session_timeout'"))
    #expect(rows[0].text(0, 0) == "0")
    #expect(rows[0].text(0, 1) == "500")
  }
}
#endif
