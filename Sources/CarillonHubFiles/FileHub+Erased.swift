#if Service
package import CarillonModel
internal import Foundation
internal import GRDB

extension FileHub {
  package func isErased(_ person: StoreID) async throws -> Bool {
    try await people.read { try Self.isErased(person, in: $0) }
  }

  static func isErased(_ person: StoreID, in database: Database) throws -> Bool {
    try Row.fetchOne(
      database, sql: "SELECT 1 FROM erased WHERE digest = ?", arguments: [digest(person)]) != nil
  }

  package func erased(after previous: [UInt8]?, limit: Int) async throws -> [[UInt8]] {
    try await people.read { database in
      try Data.fetchAll(
        database, sql: "SELECT digest FROM erased WHERE digest > ? ORDER BY digest LIMIT ?",
        arguments: [Data(previous ?? []), limit]
      ).map { [UInt8]($0) }
    }
  }

  package func addErased(_ digests: [[UInt8]]) async throws {
    try await people.write { database in
      for digest in digests { try Self.addErased(Data(digest), in: database) }
    }
  }

  static func addErased(_ digest: Data, in database: Database) throws {
    try database.execute(
      sql: "INSERT INTO erased VALUES (?) ON CONFLICT DO NOTHING", arguments: [digest])
  }
}
#endif
