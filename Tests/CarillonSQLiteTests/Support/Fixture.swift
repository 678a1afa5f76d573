import CarillonModel
import CarillonTesting
import Foundation
import GRDB

@testable import CarillonSQLite

/// A directory of its own, with a log and projections of it.
struct Fixture {
  let directory: URL
  let log: ScriptedLog

  /// Runs a test in a new directory, and removes it.
  static func run(
    _ events: [Event] = [], _ body: (Fixture) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "carillon-sqlite-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(Fixture(directory: directory, log: ScriptedLog(events)))
  }

  /// A new handle on the directory.
  func open() async throws -> SQLiteProjections {
    try await SQLiteProjections.open(at: directory, log: log)
  }

  /// The names of the SQLite files, without those that SQLite keeps beside them.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { $0.hasSuffix(".sqlite") }.sorted()
  }

  /// The file of a generation.
  func file(_ generation: Int) -> URL {
    directory.appending(path: Self.fileName(generation))
  }

  /// The name of the file of a generation.
  static func fileName(_ generation: Int) -> String {
    "projection-v\(CarillonSQLite.Table.version)-g\(generation).sqlite"
  }

  /// Changes a file by hand, behind the projections' back, with the checksums of its pages.
  func change(_ generation: Int, _ sql: String) throws {
    // The projections have registered their files' VFS.
    let name = file(generation).absoluteString + "?vfs=carillon-checksums"
    let queue = try DatabaseQueue(path: name)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }
}

extension SQLiteProjections {
  /// The whole state.
  func state() async throws -> State { try await read { try $0.state(range: nil) } }

  /// The digest of the rows.
  func digest() async throws -> StateDigest { try await read { try $0.computedDigest() } }
}

extension PlainFold {
  /// The fold of some events.
  init(_ events: [Event]) {
    self.init()
    for event in events { apply(event) }
  }
}
