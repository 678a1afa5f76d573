import CarillonMigrations
import Foundation
import Testing

struct MigrationsTests {
  private let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(
      path: "Migrations/projections")

  @Test("The list names the files of the folder, in their order")
  func listIsFolder() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(Migrations.projections.map(\.name) == files)
  }

  @Test("Each migration has the bytes of its file")
  func bytes() throws {
    for migration in Migrations.projections {
      let text = try String(contentsOf: folder.appending(path: migration.name), encoding: .utf8)
      #expect(migration.sql == text, "\(migration.name)")
    }
  }

  @Test("Every table is STRICT")
  func strict() {
    for migration in Migrations.projections {
      let tables = migration.sql.split(separator: "CREATE TABLE ").dropFirst()
      for table in tables {
        #expect(table.contains(/\)\s*STRICT/), "\(migration.name): \(table.prefix(20))")
      }
    }
  }

  @Test("A file's name begins with a letter and its number")
  func names() {
    for (index, migration) in Migrations.projections.enumerated() {
      let number = String(index + 1)
      let padded = String(repeating: "0", count: 4 - number.count) + number
      #expect(migration.name.hasPrefix("p\(padded)_"))
    }
  }
}
