import CarillonLog
import CarillonModel
import CarillonSQLiteLog
import CarillonTestSupport
import Foundation
import Testing

/// One flipped bit in the file: either everything read from the log is correct, or the damage is
/// reported.
///
/// Each seed tries 20 bits, and `tools/live --only flips` tries more seeds.
struct SQLiteLogDamageTests {
  @Test(
    "A flipped bit anywhere in the file is never served as correct",
    arguments: TestSeed.first(2))
  func anywhere(_ seed: UInt64) async throws {
    try await flip(seed: seed) { Int.random(in: 0..<8 * $0, using: &$1) }
  }

  @Test(
    "A flipped bit in the file's first page is never served as correct",
    arguments: TestSeed.first(2))
  func firstPage(_ seed: UInt64) async throws {
    try await flip(seed: seed) { _, generator in
      Int.random(in: 0..<8 * 100, using: &generator)
    }
  }

  @Test("A file that is not a database of a log is reported as damaged")
  func foreign() async throws {
    let fixture = try SQLiteLogFixture()
    try await fixture.fill(rounds: 1)
    let text = Data("not a database, but a text of some length".utf8)
    for bytes in [Data(), text, Data(count: 9_000)] {
      try bytes.write(to: fixture.file)
      let error = #expect(throws: LogError.self) { _ = try fixture.open() }
      #expect(error?.code == .corrupt, "\(bytes.count) bytes: \(String(describing: error))")
    }
  }

  @Test("A wrong payload and a wrong ID are reported, also by verifying")
  func named() async throws {
    let fixture = try SQLiteLogFixture()
    try await fixture.fill(rounds: 3)
    let log = try fixture.open()
    let events = try log.events()
    await log.close()
    var file = try Data(contentsOf: fixture.file)
    for (place, offset) in [(8, 20), (20, 33)] {
      let event = events[place]
      let row = try #require(file.range(of: Data(event.id.bytes + event.payload)))
      file[row.lowerBound + offset] ^= 0x20
    }
    try file.write(to: fixture.file)
    let damaged = try fixture.open()
    #expect(try damaged.damagedEvents().map(\.position.rawValue) == [9, 21])
    #expect(try damaged.damagedEvents().map { $0.id == nil } == [true, false])
    #expect(try damaged.verify().contains { $0.position?.rawValue == 21 && $0.kind == .damage })
    var missing: [UInt64] = []
    try damaged.scanIntact(after: .start) { event in
      if event.isMissing { missing.append(event.position.rawValue) }
      return true
    }
    #expect(missing.contains(21))
    await damaged.close()
  }

  // MARK: -

  /// Damages copies of one log, one bit at a time, and uses each copy.
  private func flip(
    seed: UInt64, choose: (_ byteCount: Int, inout SeededGenerator) -> Int
  ) async throws {
    let fixture = try SQLiteLogFixture()
    try await fixture.fill(rounds: 4)
    let intact = try fixture.open()
    let erasing = try await intact.record("erase").events[0].id
    _ = try await intact.erase([ErasedPayload(position: LogPosition(rawValue: 7), erasure: erasing)]
    )
    _ = try await intact.moveProjectionGeneration(from: 0, to: 3)
    let truth = try Contents(intact)
    await intact.close()
    let whole = try Data(contentsOf: fixture.file)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let bit = choose(whole.count, &generator)
      var damaged = whole
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try damaged.write(to: fixture.file)
      let isRight = try await isRight(fixture, truth)
      #expect(isRight, "seed \(seed): bit \(bit % 8) of byte \(bit / 8)")
    }
  }

  private struct Contents: Equatable {
    let identity: ReplicaIdentity
    let branches: [Branch]
    let events: [StoredEvent]
    let generation: UInt64

    init(_ log: SQLiteEventLog) throws {
      identity = try log.identity()
      branches = try log.branches()
      events = try log.events()
      generation = try log.projectionGeneration()
    }
  }

  /// Reads everything, and writes.
  ///
  /// - Returns: False if something is served that was not written, and no problem is reported.
  private func isRight(_ fixture: SQLiteLogFixture, _ truth: Contents) async throws -> Bool {
    do {
      let log = try fixture.open()
      do {
        let before = try Contents(log)
        let isReported = try !log.verify().isEmpty
        guard before == truth || isReported else { return false }
        try await log.record("more")
        let after = try log.events()
        let isKept = Array(after.prefix(before.events.count)) == before.events
        await log.close()
        return isKept && after.count == before.events.count + 1
      } catch {
        await log.close()
        throw error
      }
    } catch let error as LogError where [.corrupt, .unsupportedFormat].contains(error.code) {
      return true
    }
  }
}
