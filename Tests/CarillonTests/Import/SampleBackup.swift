import Carillon
import CarillonModel
import CarillonImport
import CarillonTestSupport
import Foundation
import GRDB
import Testing

/// Backups of Loop and files of other apps, each created for one test.
enum SampleBackup {
  /// The repository's root.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Files of real people, which exist next to the repository on some machines and are not part of
  /// it.
  static let real = root.deletingLastPathComponent().appending(path: "shared/real")

  static var hasReal: Bool { FileManager.default.fileExists(atPath: real.path) }

  /// Creates a backup with `tools/sample-backup`.
  static func make(
    _ name: String = "backup.db", schema: Int = 25, habits: Int = 8, repetitions: Int = 400,
    in directory: URL
  ) async throws -> URL {
    let file = directory.appending(path: name)
    let process = try await ChildProcess(
      root.appending(path: "tools/sample-backup"),
      [
        file.path, "--schema", "\(schema)", "--habits", "\(habits)", "--repetitions",
        "\(repetitions)",
      ],
      environment: ProcessInfo.processInfo.environment)
    try #require(await process.end().status == 0)
    return file
  }

  /// Creates a backup and changes it with SQL statements.
  static func changed(
    by statements: String..., schema: Int = 25, habits: Int = 1, repetitions: Int = 0,
    in directory: URL
  ) async throws -> URL {
    let file = try await make(
      "changed-\(UUID().uuidString).db", schema: schema, habits: habits,
      repetitions: repetitions, in: directory)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let database = try DatabaseQueue(path: file.path, configuration: configuration)
    for statement in statements {
      try await database.writeWithoutTransaction { try $0.execute(sql: statement) }
    }
    try database.close()
    return file
  }
}

/// Runs a body with a new store and a directory for files.
func withStoreAndFiles(_ body: @escaping (Store, URL) async throws -> Void) async throws {
  try await withTemporaryDirectory { files in
    try await withStore { store, _ in try await body(store, files) }
  }
}

extension ImportReport {
  /// The counts of added and existing records by name, without those that are 0.
  var added: [String: Int64] { counts.filter { !$0.key.hasPrefix("ignored.") } }

  /// The number of records added to dates.
  var said: Int { entries + skips + marks + notes }
}

extension Store {
  /// Returns all records of dates.
  func allRecords() async throws -> [DayRecord] {
    var records: [DayRecord] = []
    while true {
      let next = try await self.records(after: records.last, limit: 100)
      guard !next.isEmpty else { return records }
      records += next
    }
  }

  /// Expects an import to be refused with nothing written.
  func expectRefusal(
    of file: URL, _ format: ImportFormat, code: StoreError.Code = .invalidValue,
    says texts: String..., at location: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try lastPosition()
    await #expect(sourceLocation: location) {
      try await self.importHabits(from: file, format: format)
    } throws: { error in
      guard let error = error as? StoreError, error.code == code else { return false }
      return texts.allSatisfy { error.message.contains($0) }
    }
    #expect(try lastPosition() == before, sourceLocation: location)
  }
}
