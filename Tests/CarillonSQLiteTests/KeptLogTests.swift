import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import CarillonSQLite

/// The write-ahead log that stays next to a projection file.
struct KeptLogTests {
  /// Runs a test with a file of 40 events, a log with the next 20, of a history of 70.
  private func withKeptLog(
    _ body: (Fixture, _ expected: StoreState, _ history: History) async throws -> Void
  ) async throws {
    let history = try History(seed: 31, count: 70)
    let applied = Array(history.events.prefix(60))
    try await Fixture.run(Array(applied.prefix(40))) { fixture in
      await (try await fixture.open()).close()
      fixture.log.arrive(Array(applied.dropFirst(40)))
      let before = try Data(contentsOf: fixture.file(1))
      try await catchUp(fixture)
      #expect(try Data(contentsOf: fixture.file(1)) == before)
      #expect(try !Data(contentsOf: log(of: fixture)).isEmpty)
      try await body(fixture, ReferenceFold(applied).state(), history)
    }
  }

  private func catchUp(_ fixture: Fixture) async throws {
    let projections = try await fixture.open()
    _ = try await projections.catchUp()
    await projections.close()
  }

  private func log(of fixture: Fixture) -> URL { URL(filePath: fixture.file(1).path + "-wal") }

  @Test("The next process reads a short log that the last one left")
  func kept() async throws {
    try await withKeptLog { fixture, expected, _ in
      let projections = try await fixture.open()
      #expect(try await projections.appliedPosition() == fixture.log.lastPosition())
      #expect(try await projections.state() == expected)
      await projections.close()
      #expect(try fixture.files() == [Fixture.fileName(1)])
    }
  }

  @Test("Events whose rows are missing at the end of a log are applied again")
  func cutShort() async throws {
    try await withKeptLog { fixture, expected, _ in
      let whole = try Data(contentsOf: log(of: fixture))
      for length in stride(from: 0, to: whole.count, by: 3_001) {
        try whole.prefix(length).write(to: log(of: fixture))
        let projections = try await fixture.open()
        #expect(try await projections.state() == expected, "\(length) bytes")
        await projections.close()
        #expect(try fixture.files() == [Fixture.fileName(1)], "\(length) bytes")
      }
    }
  }

  @Test("Pages of a sealed log that were never written are applied again")
  func unwritten() async throws {
    try await withKeptLog { fixture, expected, _ in
      var content = try Data(contentsOf: log(of: fixture))
      content.replaceSubrange(32..<4_096, with: Data(count: 4_064))
      try content.write(to: log(of: fixture))
      let projections = try await fixture.open()
      #expect(try await projections.state() == expected)
      await projections.close()
      #expect(try fixture.files() == [Fixture.fileName(1)])
    }
  }

  @Test("A log is not applied to an older file that was put in the place of its own")
  func otherFile() async throws {
    try await withKeptLog { fixture, _, history in
      let older = try Data(contentsOf: fixture.file(1))
      // A program that may create the file moves the pages of the log into it.
      try fixture.change(1, "UPDATE habit_field SET value = value")
      try #require(try Data(contentsOf: fixture.file(1)) != older)
      fixture.log.arrive(Array(history.events.dropFirst(60)))
      try await catchUp(fixture)
      try older.write(to: fixture.file(1))
      let projections = try await fixture.open()
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      await projections.close()
      #expect(try fixture.files() == [Fixture.fileName(2)])
    }
  }

  @Test("The pages of a long log are moved into the file, and the log is removed")
  func long() async throws {
    let history = try History(seed: 32, count: 160)
    try await Fixture.run(Array(history.events.prefix(10))) { fixture in
      let projections = try await fixture.open()
      for event in history.events.dropFirst(10) {
        fixture.log.arrive([event])
        _ = try await projections.catchUp()
      }
      try #require(try Data(contentsOf: log(of: fixture)).count > KeptLog.byteCount)
      await projections.close()
      #expect(!FileManager.default.fileExists(atPath: log(of: fixture).path))
      #expect(ProjectionFiles.isAtRest(fixture.file(1)))
    }
  }
}
