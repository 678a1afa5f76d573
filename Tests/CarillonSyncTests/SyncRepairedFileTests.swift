import CarillonLog
import CarillonLMDB
import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import Foundation
import Testing

/// Audits of logs on disk whose files contain flipped bytes.
struct SyncRepairedFileTests {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  @Test("Bytes changed in the files of both logs are repaired from each other", arguments: 1...8)
  func repaired(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let (directory, urls, payloads) = try await Self.equal(&generator)
    defer { withExtendedLifetime(directory) {} }
    // Each event is damaged on one side at most; the first two events stay intact on both.
    let chosen = payloads.indices.dropFirst(2).shuffled(using: &generator).prefix(40)
    for side in 0...1 {
      let indices = chosen.enumerated().filter { $0.offset % 2 == side }.map(\.element)
      try await Self.damage(urls[side], .content, indices) { _ in 20 }
    }
    let logs = try urls.map { try LMDBEventLog.open(at: $0) }
    #expect(try logs.map { try $0.damagedEvents().count } == [20, 20], "seed \(seed)")
    let report = try await Self.synchronize(logs[0], logs[1], audits: true)
    #expect(report.repaired == 20 && report.unrepaired.isEmpty, "seed \(seed)")
    try await Self.expectWhole(logs, payloads)
  }

  @Test(
    "Any number of consecutive damaged IDs is repaired, on either side",
    arguments: [(4...5, 50...90), (0...1, 120...199), (30...199, 2...9), (194...199, 0...60)])
  func idsInARow(left: ClosedRange<Int>, right: ClosedRange<Int>) async throws {
    var generator = SeededGenerator(seed: 1)
    let (directory, urls, payloads) = try await Self.equal(&generator)
    defer { withExtendedLifetime(directory) {} }
    for (url, indices) in zip(urls, [left, right]) {
      // If few are damaged, the timestamps in their IDs are damaged too.
      let first = indices.count < 10 ? 0 : 8
      try await Self.damage(url, .id, Array(indices)) { first + $0 % (32 - first) }
    }
    let logs = try urls.map { try LMDBEventLog.open(at: $0) }
    // The event after the last damaged one may be reported too.
    let counts = try logs.map { try $0.damagedEvents().count }
    #expect((left.count...left.count + 1).contains(counts[0]))
    #expect((right.count...right.count + 1).contains(counts[1]))
    let report = try await Self.synchronize(logs[0], logs[1], audits: true)
    #expect(report.repaired == left.count && report.repairedThere == counts[1])
    #expect(report.unrepaired.isEmpty)
    #expect(try logs.map { try $0.branches().count } == [1, 1])
    try await Self.expectWhole(logs, payloads)
  }

  @Test(
    "A damaged event that was erased on the peer is redacted by an audit", arguments: [true, false])
  func erased(leads: Bool) async throws {
    var generator = SeededGenerator(seed: 2)
    let (directory, urls, payloads) = try await Self.equal(&generator)
    defer { withExtendedLifetime(directory) {} }
    try await Self.damage(urls[0], .content, [7]) { _ in 20 }
    let logs = try urls.map { try LMDBEventLog.open(at: $0) }
    var erasure: EventID?
    try logs[0].scan(after: LogPosition(rawValue: 199)) { event in
      erasure = event.id
      return true
    }
    let covered = ErasedPayload(position: LogPosition(rawValue: 8), erasure: try #require(erasure))
    #expect(try await logs[0].erase([covered]) == 0)
    #expect(try await logs[1].erase([covered]) == 1)
    let report = try await Self.synchronize(
      logs[leads ? 0 : 1], logs[leads ? 1 : 0], audits: true)
    #expect(report.unrepaired.isEmpty)
    for log in logs {
      #expect(try log.damagedEvents().isEmpty)
      try log.scan(after: LogPosition(rawValue: 7)) { event in
        #expect(event.redacted?.digest == PayloadDigest(payloads[7]))
        return false
      }
      await log.close()
    }
  }

  // MARK: -

  /// The directories of two closed logs with the same 200 events, and the events' payloads.
  private static func equal(
    _ generator: inout SeededGenerator
  ) async throws -> (TemporaryDirectory, [URL], [[UInt8]]) {
    let directory = try TemporaryDirectory()
    let urls = ["left", "right"].map { directory.appending($0) }
    let payloads = (0..<200).map { _ in
      SyncFixture.bytes(Int.random(in: 40...400, using: &generator), &generator)
    }
    for (index, url) in urls.enumerated() {
      let log = try LMDBEventLog.create(
        at: url, storeID: SyncFixture.store,
        replica: ReplicaID(high: UInt64(index + 1) << 32, low: 1))
      if index == 0 {
        _ = try await log.record(
          payloads.map { NewEvent(payload: $0) }, wallClock: Self.noon, expecting: nil)
      } else {
        let first = try LMDBEventLog.open(at: urls[0])
        _ = try await Self.synchronize(log, first, audits: false)
        await first.close()
      }
      await log.close()
    }
    return (directory, urls, payloads)
  }

  private static func expectWhole(_ logs: [LMDBEventLog], _ payloads: [[UInt8]]) async throws {
    for log in logs {
      #expect(try log.damagedEvents().isEmpty)
      #expect(try log.verify().isEmpty)
      var found: [[UInt8]] = []
      try log.scan(after: .start) { event in
        found.append(Array(event.payload))
        return true
      }
      #expect(found == payloads)
      await log.close()
    }
  }

  private static func synchronize(
    _ left: LMDBEventLog, _ right: LMDBEventLog, audits: Bool
  ) async throws -> SyncReport {
    var simulation = try SyncSimulation(
      initiator: left, responder: right, wallClock: noon, seed: 1,
      options: (SyncOptions(audits: audits), SyncOptions()))
    return try #require(try await simulation.run())
  }

  /// Flips a bit in each of the given events.
  private static func damage(
    _ url: URL, _ part: DamagedFile.Part, _ indices: [Int], byte: (Int) -> Int
  ) async throws {
    let log = try LMDBEventLog.open(at: url)
    var records: [DamagedFile.Record] = []
    try log.scan(after: .start) { event in
      records.append(DamagedFile.Record(event))
      return true
    }
    await log.close()
    for index in indices { try DamagedFile.flip(part, byte(index), of: records[index], in: url) }
  }
}
