import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonWire
import Testing

struct SyncForkTests {
  @Test("A copy that continues writing is a fork: both histories stay, and both take new IDs")
  func copy() async throws {
    var fixture = SyncFixture(seed: 1)
    let left = fixture.log()
    try fixture.write(500, to: left)
    let right = fixture.copy(left)
    let shared = left.saved.identity.replica
    try fixture.write(40, to: left)
    try fixture.write(25, to: right)
    let report = try #require(try await fixture.synchronize(left, right))
    #expect(report.method == .fork)
    #expect(report.forks.map(\.replica) == [shared])
    #expect(report.forks.first?.sequence == 501)
    #expect(report.forks.first?.heads.count == 2)
    #expect(left.isEqual(to: right))
    #expect(left.saved.identity.predecessor == shared)
    #expect(right.saved.identity.predecessor == shared)
    #expect(report.eventsReceived == 25 + 1)
    #expect(report.eventsSent == 40 + 1)
  }

  @Test(
    "A replica restored from a backup receives its own later events again",
    arguments: [false, true])
  func rollback(leads: Bool) async throws {
    var fixture = SyncFixture(seed: 2)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(300, to: left)
    let saved = left.saved
    try fixture.write(100, to: left)
    _ = try await fixture.synchronize(left, right)
    left.restore(saved)
    try fixture.write(7, to: left)
    _ = try await fixture.synchronize(leads ? left : right, leads ? right : left)
    #expect(left.isEqual(to: right))
    #expect(left.eventCount == 300 + 100 + 7 + 1)
  }

  @Test("Nested forks of any length converge", arguments: 1...12)
  func forks(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    var logs = [fixture.log()]
    try fixture.write(50, to: logs[0])
    for _ in 0..<4 {
      let original = logs[Int(fixture.generator.next() % UInt64(logs.count))]
      logs.append(fixture.copy(original))
      for log in logs { try fixture.write(Int(fixture.generator.next() % 500), to: log) }
    }
    for log in logs.dropFirst() { _ = try await fixture.synchronize(logs[0], log) }
    for log in logs.dropFirst() {
      _ = try #require(try await fixture.synchronize(log, logs[0]), "seed \(seed)")
    }
    for log in logs.dropFirst() {
      #expect(log.isEqual(to: logs[0]), "seed \(seed)")
    }
  }
}
