import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The number of bytes on disk for each event, which is exact and therefore asserted.
struct LogSizeTests {
  private static let eventCount = 30_000

  @Test("An event of 142 bytes takes at most 215 bytes on disk in runs of ten or more")
  func runsOfTen() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    var histories = (1...2).map { EventHistory(ReplicaID(high: 7, low: $0)) }
    for batch in 0..<Self.eventCount / 1_000 {
      let runs = (0..<100).map { part in histories[(batch + part) % 2].run(payloads(10)) }
      _ = try await log.append(runs, wallClock: .logTests)
    }
    try await expect(log, bytesAnEvent: 215)
  }

  @Test("An event of 142 bytes takes at most 270 bytes if two writers alternate")
  func alternating() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    var histories = (1...2).map { EventHistory(ReplicaID(high: 7, low: $0)) }
    for _ in 0..<Self.eventCount / 1_000 {
      let runs = (0..<1_000).map { part in histories[part % 2].run(payloads(1)) }
      _ = try await log.append(runs, wallClock: .logTests)
    }
    try await expect(log, bytesAnEvent: 270)
  }

  @Test("An event of 142 bytes takes at most 210 bytes if one writer writes in batches")
  func oneWriter() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    for _ in 0..<Self.eventCount / 1_000 {
      _ = try await log.record(
        payloads(1_000).map { NewEvent(payload: $0) }, wallClock: .logTests, expecting: nil)
    }
    try await expect(log, bytesAnEvent: 210)
  }

  private func payloads(_ count: Int) -> [[UInt8]] {
    Array(repeating: [UInt8](repeating: 0x55, count: 142), count: count)
  }

  private func expect(_ log: LMDBEventLog, bytesAnEvent limit: Double) async throws {
    #expect(try log.lastPosition().rawValue == UInt64(Self.eventCount))
    let used = try Double(log.usedByteCount) / Double(Self.eventCount)
    #expect(used <= limit, "\(used) bytes an event")
    #expect(try log.verify() == [])
    await log.close()
  }
}
