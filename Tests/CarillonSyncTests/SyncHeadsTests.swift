import CarillonLog
import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Synchronization
import Testing

/// The limit on heads, and the cost of each additional head.
struct SyncHeadsTests {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  private static func log(_ name: UInt64) -> InMemoryEventLog {
    InMemoryEventLog(storeID: SyncFixture.store, replica: ReplicaID(high: name << 32, low: 7))
  }

  private static func histories(_ range: Range<Int>) -> [EventRun] {
    range.map { index in
      var history = EventHistory(ReplicaID(high: UInt64(index + 1) << 32, low: 1))
      return history.run(count: 1)
    }
  }

  @Test(
    "Runs that would open a branch beyond the limit are refused and reported; all others arrive")
  func full() async throws {
    let most = VersionVector.maxTakenHeads
    let (left, right) = (Self.log(90_000), Self.log(90_001))
    _ = try await left.append(Self.histories(0..<most), wallClock: Self.noon)
    var trunk = EventHistory(ReplicaID(high: 1 << 32, low: 1))
    let start = trunk.run(count: 1)
    let news = trunk.run(count: 3)
    _ = try await right.append(
      Self.histories(50_000..<50_005) + [start, news] + Self.histories(50_005..<50_010),
      wallClock: Self.noon)
    var simulation = try SyncSimulation(
      initiator: left, responder: right, wallClock: Self.noon, seed: 1)
    let report = try #require(try await simulation.run())
    #expect(try left.branches().count == most && right.branches().count == most)
    #expect(try left.position(of: news.lastID) != nil, "a run that opens no branch arrives")
    #expect(report.eventsReceived == 3)
    #expect(report.headsDiffer && !report.isComplete && report.method == .vector)
    #expect(report.refused.count { $0.hasPrefix("another history") } == 10)
    #expect(report.refused.count { $0.hasPrefix("the peer: another history") } == 10)
    // Repeating the sync gives the same result.
    var again = try SyncSimulation(initiator: right, responder: left, wallClock: Self.noon, seed: 2)
    #expect(try await again.run()?.headsDiffer == true)
  }

  @Test(
    "Receiving a fork takes as many lookups with 200 heads as with 10", arguments: [true, false])
  func lookUps(isLed: Bool) async throws {
    let few = try await lookUps(heads: 10, isLed: isLed)
    let many = try await lookUps(heads: 200, isLed: isLed)
    #expect(few == many)
    #expect(many.initiator + many.responder < 40)
  }

  /// How many IDs each side of a sync looks up to receive one more fork.
  private func lookUps(
    heads: Int, isLed: Bool
  ) async throws -> (initiator: Int, responder: Int) {
    let (old, new) = (Self.log(80_000), Self.log(80_001))
    var trunk = EventHistory(ReplicaID(high: 5 << 32, low: 5))
    var runs = [trunk.run(count: 6)]
    for number in 0..<heads {
      var fork = trunk
      runs.append(fork.run(count: 2, text: "fork \(number)"))
    }
    for log in [old, new] { _ = try await log.append(runs, wallClock: Self.noon) }
    _ = try await new.append([trunk.run(count: 2, text: "last")], wallClock: Self.noon)
    let (leading, answering) = isLed ? (old, new) : (new, old)
    let executors = [leading, answering].map { SyncExecutor(log: $0, wallClock: Self.noon) }
    var initiator = SyncInitiator(
      store: SyncFixture.store, log: try executors[0].snapshot(), options: SyncOptions())
    var responder = SyncResponder(
      store: SyncFixture.store, log: try executors[1].snapshot(), options: SyncOptions())
    var counts = (initiator: 0, responder: 0)
    var queue: [(toInitiator: Bool, input: SyncInput)] = [(true, .start)]
    while !queue.isEmpty {
      let (toInitiator, input) = queue.removeFirst()
      for action in try toInitiator ? initiator.handle(input) : responder.handle(input) {
        switch action {
        case .send(let bytes): queue.append((!toInitiator, .message(bytes)))
        case .identify(let places) where toInitiator: counts.initiator += places.count
        case .identify(let places): counts.responder += places.count
        default: break
        }
        let next = try await executors[toInitiator ? 0 : 1].perform(action)
        if let next { queue.insert((toInitiator, next), at: 0) }
      }
    }
    #expect(try old.branches().count == heads + 1)
    return counts
  }
}

/// A log takes at most one new ReplicaID in a sync, whatever it receives.
struct SyncNamesTests {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  /// A log whose ReplicaIDs are known in advance: 1, 2, 3 and so on.
  private func log() async throws -> InMemoryEventLog {
    let next = Counter()
    let log = InMemoryEventLog(
      storeID: SyncFixture.store, replica: name(1), makeReplicaID: { name(next.next()) })
    log.setIdentityAnnouncement { _ in [NewEvent(payload: [1])] }
    _ = try await log.record([NewEvent(payload: [2])], wallClock: Self.noon, expecting: nil)
    return log
  }

  /// An event that another writer recorded under a ReplicaID.
  private func strange(_ number: UInt64) -> SyncRun {
    var history = EventHistory(name(number))
    let event = history.run(count: 1).items[0]
    var run = OutgoingRun(
      branch: BranchIndex(rawValue: 0), reference: .full(name(number)), firstSequence: 1,
      previous: nil)
    event.payload.withUnsafeBytes { run.append(id: history.last, payload: $0) }
    return run.run
  }

  @Test("A responder takes one new ReplicaID per transport and refuses foreign events of that ID")
  func responder() async throws {
    let log = try await log()
    var codes: [[SyncRefusal.Code]] = []
    for number in 1...4 as ClosedRange<UInt64> {
      var question = SyncMessage()
      (question.number, question.version) = (UInt32(number), 1)
      question.store = SyncFixture.store.high
      question.events = .stored(SyncRun.encode([strange(number)]))
      let (answers, _) = try await SyncDriver.answers(
        to: question.encoded(), of: log, wallClock: Self.noon, options: SyncOptions(),
        firstReplica: name(1))
      codes.append(try SyncMessage(bytes: answers[0]).refusals.map(\.code))
    }
    // The ReplicaIDs 3 and 4 are unknown to it, so their events are accepted.
    #expect(codes == [[], [.ownReplica], [], []])
    #expect(try log.identity().replica == name(2))
  }

  @Test("An initiator takes one new ReplicaID per sync and reports what it refused")
  func initiator() async throws {
    let log = try await log()
    let executor = SyncExecutor(log: log, wallClock: Self.noon)
    var initiator = SyncInitiator(
      store: log.storeID, log: try executor.snapshot(), options: SyncOptions())
    var inputs: [SyncInput] = [.start]
    var report: SyncReport?
    var number: UInt64 = 0
    while let input = inputs.popLast(), report == nil {
      for action in try initiator.handle(input) {
        if case .finished(let finished) = action { report = finished }
        if let next = try await executor.perform(action) { inputs.append(next) }
        guard case .send(let bytes) = action else { continue }
        let question = try SyncMessage(bytes: bytes)
        number += 1
        var answer = SyncMessage()
        answer.number = question.number
        answer.acknowledged = try acknowledged(question)
        answer.vector = .init(heads: [strange(1).end, strange(2).end, strange(3).end])
        answer.events = .stored(SyncRun.encode([strange(min(number, 2))]))
        inputs.insert(.message(answer.encoded()), at: 0)
      }
      try #require(number < 50)
    }
    #expect(try log.identity().replica == name(2))
    #expect(report?.refused.contains { $0.contains("was taken in this sync") } == true)
    #expect(report?.isComplete == false)
  }

  private func acknowledged(_ message: SyncMessage) throws -> [SyncPoint] {
    switch message.events {
    case .none: []
    case .stored(let bytes): try SyncRun.decode(bytes).map(\.end)
    case .deflated(let bytes):
      try SyncRun.decode(try #require(Deflate.inflated(bytes, limit: 480_000))).map(\.end)
    }
  }
}

private func name(_ number: UInt64) -> ReplicaID { ReplicaID(high: number << 32, low: 3) }

/// Counts 2, 3, 4 and so on.
private final class Counter: Sendable {
  private let value = Mutex<UInt64>(1)
  func next() -> UInt64 {
    value.withLock {
      $0 += 1
      return $0
    }
  }
}
