import CarillonTestSupport
import Foundation
import GRDB
import Testing

@testable import CarillonImport

/// Databases whose reading would not end.
struct ReadingDeadlineTests {
  @Test("A statement without an end is interrupted at the deadline, and the error names the limit")
  func endless() throws {
    let deadline = ReadingDeadline(limit: .seconds(1))
    let database = try DatabaseQueue()
    let error = #expect(throws: DatabaseError.self) {
      try database.inDatabase { connection in
        deadline.watch(try #require(connection.sqliteConnection))
        _ = try Int.fetchOne(
          connection,
          sql: """
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n
            """)
      }
    }
    #expect(error?.resultCode == .SQLITE_INTERRUPT)
    #expect(deadline.isOver)
    #expect("\(deadline.reason(name: "a.db"))".contains("a.db cannot be read within 1 seconds"))
    try database.close()
    withExtendedLifetime(deadline) {}
  }

  @Test("A backup whose check takes longer than the deadline is refused")
  func slowBackup() async throws {
    try await withStoreAndFiles { _, files in
      let file = try await SampleBackup.make(
        "long.db", habits: 10, repetitions: 20_000, in: files)
      #expect {
        try LoopDatabase(opening: file, deadline: ReadingDeadline(limit: .zero))
      } throws: { error in
        "\(error)".contains("long.db cannot be read within 0 seconds")
      }
      _ = try LoopDatabase(opening: file)
    }
  }
}
