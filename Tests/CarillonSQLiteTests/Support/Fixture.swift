import CarillonModel
import CarillonTestSupport
import Foundation
import GRDB

@testable import CarillonSQLite

/// A temporary directory with a log and its projections.
struct Fixture {
  let directory: URL
  let log: ScriptedLog

  /// Runs a test in a new directory, and removes the directory.
  static func run(
    _ events: [StoredEvent] = [], _ body: (Fixture) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "carillon-sqlite-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(Fixture(directory: directory, log: ScriptedLog(events)))
  }

  /// Opens a new handle on the directory.
  func open() async throws -> SQLiteProjections {
    try await SQLiteProjections.open(at: directory, log: log)
  }

  /// Returns the names of the SQLite files, without the files that SQLite keeps next to them.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { $0.hasSuffix(".sqlite") }.sorted()
  }

  /// Returns the file of a generation.
  func file(_ generation: Int) -> URL {
    directory.appending(path: Self.fileName(generation))
  }

  /// Returns the name of a generation's file.
  static func fileName(_ generation: Int) -> String {
    "projection-v\(CarillonSQLite.Table.version)-g\(generation).sqlite"
  }

  /// Changes a file directly instead of through the projections, with the right page checksums.
  func change(_ generation: Int, _ sql: String) throws {
    // The projections have registered the VFS of their files.
    let name = file(generation).absoluteString + "?vfs=carillon-checksums"
    let queue = try DatabaseQueue(path: name)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }
}

extension SQLiteProjections {
  /// Returns the whole state.
  func state() async throws -> StoreState { try await read { try $0.state(range: nil) } }

  /// Returns the computed digest of the rows.
  func digest() async throws -> StateDigest { try await read { try $0.computedDigest() } }
}

extension ReferenceFold {
  /// Folds the given events.
  init(_ events: [StoredEvent]) {
    self.init()
    for event in events { apply(event) }
  }
}
