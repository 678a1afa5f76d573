import CarillonLog
import Carillon
import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import Synchronization
import Testing

/// The driver that syncs two logs in one process, with tasks and a transport between them.
struct LocalSyncTests {
  @Test("Syncing two logs in one process makes them equal", arguments: [1, 4])
  func equal(window: Int) async throws {
    var fixture = SyncFixture(seed: 1)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(9_000, to: left)
    try fixture.write(4_000, to: right)
    let steps = Mutex<[SyncProgress]>([])
    let report = try await LocalSync.synchronize(
      left, right, wallClock: Instant(milliseconds: fixture.clock),
      options: SyncOptions(window: window)
    ) { step in steps.withLock { $0.append(step) } }
    #expect(left.isEqual(to: right))
    #expect(report.eventsSent == 9_000)
    #expect(report.eventsReceived == 4_000)
    let last = steps.withLock(\.last)
    #expect(last?.eventsSent == 9_000 && last?.eventsToSend == 9_000)
    #expect(last?.eventsReceived == 4_000 && last?.eventsToReceive == 4_000)
  }

  @Test("New ReplicaIDs on both sides are reported and exchanged in the same sync")
  func identities() async throws {
    var fixture = SyncFixture(seed: 2)
    let left = fixture.log()
    try fixture.write(20, to: left)
    let right = fixture.copy(left)
    let shared = left.saved.identity.replica
    try fixture.write(20, to: left)
    try fixture.write(20, to: right)
    let report = try await LocalSync.synchronize(
      left, right, wallClock: Instant(milliseconds: fixture.clock))
    #expect(report.newIdentities.map(\.predecessor) == [shared, shared])
    #expect(
      report.newIdentities.map(\.replica) == [
        left.saved.identity.replica, right.saved.identity.replica,
      ])
    #expect(left.isEqual(to: right))
  }

  @Test(
    "A failing log ends the sync, and the error carries the log's error", arguments: [false, true])
  func failure(answers: Bool) async throws {
    var fixture = SyncFixture(seed: 3)
    let (good, bad) = (fixture.log(), fixture.log())
    try fixture.write(20, to: good)
    bad.fail(with: LogError(code: .full, message: "the disk is full"))
    let error = await #expect(throws: SyncError.self) {
      _ = try await LocalSync.synchronize(
        answers ? good : bad, answers ? bad : good,
        wallClock: Instant(milliseconds: fixture.clock))
    }
    #expect(error?.code == .log)
    #expect((error?.cause as? LogError)?.code == .full)
  }

  @Test("An Equal message with a foreign digest ends the sync with an error instead of a hang")
  func wrongEqual() async throws {
    var fixture = SyncFixture(seed: 6)
    let left = fixture.log()
    try fixture.write(3, to: left)
    let right = fixture.copy(left)
    // As in a damaged branch row: the ID suffix, which is sent, is right, but the ID is not.
    left.damageHead(0, byte: 15)
    for (first, second) in [(left, right), (right, left)] {
      let error = await #expect(throws: SyncError.self) {
        _ = try await LocalSync.synchronize(
          first, second, wallClock: Instant(milliseconds: fixture.clock), options: .withinProcess,
          contents: (.unknown, .unknown), progress: { _ in })
      }
      #expect(error?.code == .unreachable)
      #expect(error?.message.contains("both sides wait") == true)
      #expect(error?.message.contains("reports equal logs") == true)
    }
  }

  @Test("Cancelling the task ends the sync")
  func cancellation() async throws {
    var fixture = SyncFixture(seed: 4)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(2_000, to: left)
    let clock = Instant(milliseconds: fixture.clock)
    let task = Task {
      try await LocalSync.synchronize(
        left, right, wallClock: clock, options: SyncOptions(maxMessageBytes: 20_000)
      ) { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    let report = try await LocalSync.synchronize(left, right, wallClock: clock)
    #expect(left.isEqual(to: right))
    #expect(report.eventsReceived == 0)
  }

  @Test("A sync that receives events from far in the future warns about them once")
  func ahead() async throws {
    var fixture = SyncFixture(seed: 8)
    let (left, right) = (fixture.log(), fixture.log())
    let now = Instant(milliseconds: fixture.clock)
    fixture.clock += 3 * 86_400_000
    try fixture.write(1, to: right)
    try fixture.write(1, to: left)
    let report = try await LocalSync.synchronize(left, right, wallClock: now)
    let reported = report.warnings.filter { $0.contains("3 days ahead of this device's clock") }
    #expect(reported.count == 1 && reported[0].contains(right.saved.identity.replica.description))
    #expect(report.isComplete)
    let again = try await LocalSync.synchronize(left, right, wallClock: now)
    #expect(again.warnings.isEmpty && again.method == .equal)
  }

  @Test("A report names the method, the messages and the round trips")
  func report() async throws {
    var fixture = SyncFixture(seed: 5)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(2, to: left)
    let report = try await LocalSync.synchronize(
      left, right, wallClock: Instant(milliseconds: fixture.clock))
    #expect(report.method == .vector)
    #expect(report.messages == 4 && report.roundTrips == 2)
  }
}
