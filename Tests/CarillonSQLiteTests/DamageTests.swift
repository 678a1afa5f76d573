import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Foundation
import Testing

/// Opening a store restores its projections after any damage to their file.
struct DamageTests {
  /// The kinds of damage to a file.
  enum Damage: CaseIterable {
    case missing, empty, noDatabase, cutShort, otherVersion, missingTable, aheadOfLog, otherLog
    case otherStore, noCheckpoint, directory, pipe, linkToNothing, pipeForIndex, forbidden
    case linkForLog, linkForIndex
  }

  @Test("Opening the store repairs a damaged file", arguments: Damage.allCases)
  func repairs(_ damage: Damage) async throws {
    let history = try History(seed: 11, count: 200)
    try await Fixture.run(history.events) { fixture in
      let first = try await fixture.open()
      let digest = try await first.digest()
      await first.close()
      try Self.apply(damage, to: fixture)
      let projections = try await fixture.open()
      #expect(try await projections.digest() == digest)
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      // Root may open any file.
      let generation = damage == .forbidden && geteuid() == 0 ? 1 : 2
      #expect(try fixture.files() == [Fixture.fileName(generation)])
      await projections.close()
    }
  }

  private static func apply(_ damage: Damage, to fixture: Fixture) throws {
    let file = fixture.file(1)
    switch damage {
    case .missing: try FileManager.default.removeItem(at: file)
    case .empty: try Data().write(to: file)
    case .noDatabase: try Data(repeating: 0x5A, count: 20_000).write(to: file)
    case .cutShort: try Data(contentsOf: file).prefix(5_000).write(to: file)
    case .otherVersion: try fixture.change(1, "PRAGMA user_version = 99")
    case .missingTable: try fixture.change(1, "DROP TABLE entry")
    case .aheadOfLog: try fixture.change(1, "UPDATE checkpoint SET position = 100000")
    case .otherLog: try fixture.change(1, "UPDATE checkpoint SET position = position - 1")
    case .otherStore: try fixture.change(1, "UPDATE checkpoint SET store = zeroblob(16)")
    case .noCheckpoint: try fixture.change(1, "DELETE FROM checkpoint")
    case .forbidden: try #require(chmod(file.path, 0) == 0)
    case .pipeForIndex: try #require(mkfifo(file.path + "-shm", 0o600) == 0)
    case .linkForLog: try #require(symlink("/nowhere/file", file.path + "-wal") == 0)
    case .linkForIndex: try #require(symlink("/nowhere/file", file.path + "-shm") == 0)
    case .directory, .pipe, .linkToNothing: try replace(file, by: damage)
    }
  }

  /// Replaces a file by something that is not a file.
  private static func replace(_ file: URL, by damage: Damage) throws {
    try FileManager.default.removeItem(at: file)
    switch damage {
    case .directory: try #require(mkdir(file.path, 0o700) == 0)
    case .pipe: try #require(mkfifo(file.path, 0o600) == 0)
    default: try #require(symlink("nothing", file.path) == 0)
    }
  }

  @Test(
    "The target of a link next to a projection file is left unchanged", arguments: ["-wal", "-shm"])
  func linkBeside(suffix: String) async throws {
    let history = try History(seed: 16, count: 20)
    try await Fixture.run(history.events) { fixture in
      await (try await fixture.open()).close()
      let target = fixture.file(1).deletingLastPathComponent().appending(path: "mine")
      try Data("mine".utf8).write(to: target)
      let link = fixture.file(1).path + suffix
      try #require(symlink(target.path, link) == 0)
      let projections = try await fixture.open()
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      await projections.close()
      #expect(try String(contentsOf: target, encoding: .utf8) == "mine")
    }
  }

  @Test("A non-empty directory in a projection file's place is left alone and harmless")
  func fullDirectory() async throws {
    let history = try History(seed: 15, count: 20)
    try await Fixture.run(history.events) { fixture in
      await (try await fixture.open()).close()
      try Self.replace(fixture.file(1), by: .directory)
      try Data([1]).write(to: fixture.file(1).appending(path: "mine"))
      let projections = try await fixture.open()
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      _ = try await projections.rebuild()
      #expect(try fixture.files() == [Fixture.fileName(1), Fixture.fileName(3)])
      await projections.close()
    }
  }

  @Test("A query repairs the damage that it finds")
  func repairsLater() async throws {
    let history = try History(seed: 12, count: 200)
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      try fixture.change(
        1, "UPDATE habit SET habit = x'01' WHERE habit = (SELECT min(habit) FROM habit)")
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      #expect(try fixture.files() == [Fixture.fileName(2)])
      await projections.close()
    }
  }

  @Test("Catching up detects that the log was replaced by another one")
  func replacedLog() async throws {
    let (one, other) = (try History(seed: 13, count: 50), try History(seed: 14, count: 80))
    try await Fixture.run(one.events) { fixture in
      let projections = try await fixture.open()
      _ = try await projections.catchUp()
      fixture.log.replace(with: other.events)
      #expect(try await projections.state() == ReferenceFold(other.events).state())
      await projections.close()
    }
  }
}
