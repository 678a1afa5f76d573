import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Foundation
import GRDB
import Synchronization
import Testing

/// Projections in a directory that is not writable.
struct ReadOnlyTests {
  private func contents(_ fixture: Fixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path).sorted()
  }

  @Test("Without a file, the projections are built in memory")
  func withoutFile() async throws {
    let history = try History(seed: 21, count: 100)
    try await Fixture.run(history.events) { fixture in
      let projections = try await SQLiteProjections.open(
        at: fixture.directory, log: fixture.log, isReadOnly: true)
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      #expect(try contents(fixture).isEmpty)
      await projections.close()
    }
  }

  @Test("An up-to-date file is read, and an outdated one is left unchanged")
  func withFile() async throws {
    let history = try History(seed: 22, count: 100)
    try await Fixture.run(Array(history.events.prefix(60))) { fixture in
      await (try await fixture.open()).close()
      let before = try Data(contentsOf: fixture.file(1))
      let projections = try await SQLiteProjections.open(
        at: fixture.directory, log: fixture.log, isReadOnly: true)
      let expected = ReferenceFold(Array(history.events.prefix(60))).state()
      #expect(try await projections.state() == expected)
      fixture.log.arrive(Array(history.events.dropFirst(60)))
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      let digest = try await projections.read { try $0.stateDigest() }
      #expect(try await projections.digest() == digest)
      await projections.close()
      #expect(try Data(contentsOf: fixture.file(1)) == before)
    }
  }

  @Test("A check reports a damaged page of a file that was not copied into memory")
  func damagedFile() async throws {
    let history = try History(seed: 24, count: 100)
    try await Fixture.run(Array(history.events.prefix(60))) { fixture in
      await (try await fixture.open()).close()
      fixture.log.arrive(Array(history.events.dropFirst(60)))
      let intact = try Data(contentsOf: fixture.file(1))
      for page in [nil] + (0..<intact.count / 4_096).map(Optional.some) {
        var content = intact
        if let page { content[page * 4_096 + 2_000] ^= 1 }
        try content.write(to: fixture.file(1))
        let projections = try await SQLiteProjections.open(
          at: fixture.directory, log: fixture.log, isReadOnly: true)
        #expect(try await projections.state() == ReferenceFold(history.events).state())
        let difference = try await projections.check()
        #expect(difference?.table == (page == nil ? nil : "file"), "page \(page ?? -1)")
        await projections.close()
      }
    }
  }

  @Test(
    "A check during another process's continuous commits reports no damage",
    .timeLimit(.minutes(3)))
  func besideWriter() async throws {
    let history = try History(seed: 25, count: 60)
    try await Fixture.run(Array(history.events.prefix(40))) { fixture in
      await (try await fixture.open()).close()
      fixture.log.arrive(Array(history.events.dropFirst(40)))
      let commits = Count()
      let writer = Task {
        while !Task.isCancelled {
          // Closing copies all pages into the file.
          do {
            try fixture.change(
              1, "UPDATE habit_field SET value = value; UPDATE entry SET value = value")
            commits.value.add(1, ordering: .relaxed)
          } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            await Task.yield()
          }
        }
      }
      let projections = try await SQLiteProjections.open(
        at: fixture.directory, log: fixture.log, isReadOnly: true)
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      var checks = 0
      while checks < 200 || commits.value.load(ordering: .relaxed) < 200 {
        #expect(try await projections.check() == nil)
        checks += 1
      }
      await projections.close()
      writer.cancel()
      try await writer.value
    }
  }

  private final class Count: Sendable { let value = Atomic(0) }

  @Test("A rebuild in a read-only directory throws readOnly")
  func refused() async throws {
    try await Fixture.run(try History(seed: 23, count: 10).events) { fixture in
      let projections = try await SQLiteProjections.open(
        at: fixture.directory, log: fixture.log, isReadOnly: true)
      let rebuild = await #expect(throws: ProjectionError.self) { try await projections.rebuild() }
      #expect(rebuild?.code == .readOnly)
      await projections.close()
    }
  }

  @Test("A check without a writable directory builds in memory and reports a difference")
  func checked() async throws {
    try await Fixture.run(try History(seed: 23, count: 10).events) { fixture in
      await (try await fixture.open()).close()
      var projections = try await SQLiteProjections.open(
        at: fixture.directory, log: fixture.log, isReadOnly: true)
      #expect(try await projections.check() == nil)
      await projections.close()
      try fixture.change(1, "INSERT INTO activity VALUES (x'000102030405060708090a0b0c0d0e0f', 1)")
      projections = try await SQLiteProjections.open(
        at: fixture.directory, log: fixture.log, isReadOnly: true)
      #expect(try await projections.check()?.table == "activity")
      await projections.close()
      #expect(
        try contents(fixture).filter { $0.hasSuffix("sqlite") } == [Fixture.fileName(1)])
    }
  }
}
