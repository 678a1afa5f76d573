import CarillonLMDB
import CarillonModel
import CarillonSync
import CarillonTesting
import Foundation
import Testing

/// Audits of logs on a disk whose bytes changed.
struct SyncHealedFileTests {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  @Test("Bytes that changed in the files of both are healed from each other", arguments: 1...8)
  func healed(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let urls = ["left", "right"].map { directory.appending($0) }
    let payloads = (0..<200).map { _ in
      SyncFixture.bytes(Int.random(in: 40...400, using: &generator), &generator)
    }
    for (index, url) in urls.enumerated() {
      let log = try LMDBEventLog.create(
        at: url, storeID: SyncFixture.store,
        replica: ReplicaID(high: UInt64(index + 1) << 32, low: seed))
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
    // Each event is damaged on one side at most; event 0 of both stays, as do those beside it.
    let chosen = payloads.indices.dropFirst(2).shuffled(using: &generator).prefix(40)
    for (place, index) in chosen.enumerated() {
      try Self.damage(urls[place % 2], payloads[index])
    }
    let logs = try urls.map { try LMDBEventLog.open(at: $0) }
    #expect(try logs.map { try $0.damagedEvents().count } == [20, 20], "seed \(seed)")
    let report = try await Self.synchronize(logs[0], logs[1], audits: true)
    #expect(report.healed == 20 && report.unhealed.isEmpty, "seed \(seed)")
    for log in logs {
      #expect(try log.damagedEvents().isEmpty, "seed \(seed)")
      var found: [[UInt8]] = []
      try log.scan(after: .start) { event in
        found.append(Array(event.payload))
        return true
      }
      #expect(found == payloads, "seed \(seed)")
      await log.close()
    }
  }

  private static func synchronize(
    _ left: LMDBEventLog, _ right: LMDBEventLog, audits: Bool
  ) async throws -> SyncReport {
    var simulation = try SyncSimulation(
      leader: left, answerer: right, wallClock: noon, seed: 1,
      options: (SyncOptions(audits: audits), SyncOptions()))
    return try #require(try await simulation.run())
  }

  /// Changes a bit of a payload wherever the file has it.
  private static func damage(_ url: URL, _ payload: [UInt8]) throws {
    let file = url.appending(path: "log/data.mdb")
    var data = try Data(contentsOf: file)
    var start = data.startIndex
    while let range = data.range(of: Data(payload), in: start..<data.endIndex) {
      data[range.lowerBound + payload.count / 2] ^= 0x10
      start = range.upperBound
    }
    try data.write(to: file)
  }
}
