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
}
#endif
