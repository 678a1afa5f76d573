import CarillonLog
import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Synchronization
import Testing

/// Closing branches reduces the number of heads on both sides and loses no events.
struct SyncClosingTests {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  private static func log(_ name: UInt64) -> InMemoryEventLog {
    let names = SharedNames(name)
    return InMemoryEventLog(
      storeID: SyncFixture.store, replica: ReplicaID(high: name << 32, low: 7),
      makeReplicaID: { names.next() })
  }

  /// Histories of one event each.
  private static func histories(_ range: Range<Int>, count: Int = 1) -> [EventRun] {
    range.map { index in
      var history = EventHistory(ReplicaID(high: UInt64(index + 1) << 32, low: 1))
      return history.run(count: count)
    }
  }

  @discardableResult
  private func sync(
    _ initiator: InMemoryEventLog, _ responder: InMemoryEventLog, seed: UInt64 = 1,
    faults: LossyTransport.Faults = .none, limit: Int? = nil
  ) async throws -> (report: SyncReport, bytes: Int) {
    let options = limit.map { SyncOptions(maxMessageBytes: $0) } ?? SyncOptions()
    var simulation = try SyncSimulation(
      initiator: initiator, responder: responder, wallClock: Self.noon, seed: seed, faults: faults,
      options: (options, options))
    let report = try #require(try await simulation.run(maxSteps: 5_000))
    return (report, simulation.byteCount)
  }

  private func expectEqual(_ logs: InMemoryEventLog..., heads: Int) throws {
    let vectors = try logs.map { VersionVector(branches: try $0.branches()) }
    #expect(Set(vectors).count == 1)
    #expect(vectors[0].heads.count == heads)
    let ids = try logs.map { log in
      var ids: Set<EventID> = []
      try log.scan(after: .start) { event in
        ids.insert(event.id)
        return true
      }
      return ids
    }
    #expect(Set(ids).count == 1)
  }

  @Test(
    "Heads closed on one side are closed on both, whichever side initiates",
    arguments: [true, false])
  func simple(closerLeads: Bool) async throws {
    let (closer, other) = (Self.log(90_000), Self.log(90_001))
    for log in [closer, other] {
      _ = try await log.append(Self.histories(0..<70, count: 20), wallClock: Self.noon)
    }
    try await closer.write("a")
    try await sync(closer, other)
    try await closer.closeAll()
    let (left, right) = closerLeads ? (closer, other) : (other, closer)
    let (report, bytes) = try await sync(left, right)
    #expect(report.isComplete && report.eventsSent + report.eventsReceived == 2)
    // Two events that name 64 and 6 heads; no closed history is sent again.
    #expect(bytes < 9_000)
    try expectEqual(closer, other, heads: 1)
    for (left, right) in [(closer, other), (other, closer)] {
      let again = try await sync(left, right)
      #expect(again.report.method == .equal && again.bytes <= 64)
    }
  }

  @Test(
    "A replica that lacks the closed histories receives them first, at any message limit",
    arguments: [20_000, 60_000], [true, false])
  func clone(limit: Int, isLed: Bool) async throws {
    let (closer, empty) = (Self.log(90_000), Self.log(90_001))
    _ = try await closer.append(Self.histories(0..<130, count: 30), wallClock: Self.noon)
    try await closer.closeAll()
    // Each closing event is itself closed by the next one.
    for number in 0..<6 {
      try await closer.rename(number)
      try await closer.write("announced")
      try await closer.closeAll()
    }
    let (left, right) = isLed ? (closer, empty) : (empty, closer)
    let (report, _) = try await sync(left, right, limit: limit)
    #expect(report.isComplete)
    try expectEqual(closer, empty, heads: 1)
  }

  @Test("Writing after a closed head reopens it on both sides")
  func grownAgain() async throws {
    let (closer, writer) = (Self.log(90_000), Self.log(90_001))
    try await writer.write("a")
    try await closer.write("b")
    try await sync(closer, writer)
    try await closer.closeAll()
    try await writer.write("c")
    try await sync(writer, closer)
    try expectEqual(closer, writer, heads: 2)
    try await closer.closeAll()
    try await writer.closeAll()
    try await sync(closer, writer)
    // Each side closed the other's head and continued its own branch.
    try expectEqual(closer, writer, heads: 2)
  }

  @Test("One branch of a fork can close the other")
  func fork() async throws {
    let (left, right) = (Self.log(90_000), Self.log(90_001))
    let replica = ReplicaID(high: 5 << 32, low: 5)
    var trunk = EventHistory(replica)
    let start = trunk.run(count: 3)
    var fork = trunk
    let twig = fork.run(count: 4, text: "fork")
    let closing = BranchesClosed(heads: [
      Head(replica: replica, sequence: twig.lastSequence, id: twig.lastID)
    ])
    let rest = trunk.run([Array("before".utf8), closing.written, Array("behind".utf8)])
    _ = try await left.append([start, twig, rest], wallClock: Self.noon)
    #expect(try VersionVector(branches: left.branches()).heads.map(\.id) == [rest.lastID])
    try await sync(right, left)
    try expectEqual(left, right, heads: 1)
  }

  @Test("A log with too many heads can close them and then sync with a log that has fewer")
  func tooMany() async throws {
    let (full, other) = (Self.log(90_000), Self.log(90_001))
    try await full.write("own")
    // As after many new identities of its own: events of others open no branch beyond 1,984.
    let most = VersionVector.maxTakenHeads
    for log in [full, other] {
      _ = try await log.append(Self.histories(0..<1_500), wallClock: Self.noon)
    }
    _ = try await full.append(Self.histories(1_500..<most - 1), wallClock: Self.noon)
    for number in 0..<100 {
      try await full.rename(number)
      try await full.write("announced")
    }
    #expect(try full.branches().count > VersionVector.maxHeads)
    let error = await #expect(throws: SyncError.self) { try await sync(full, other) }
    #expect(error?.code == .tooManyHeads)
    try await full.closeAll()
    #expect(try VersionVector(branches: full.branches()).heads.count == 1)
    let (report, _) = try await sync(full, other)
    #expect(report.isComplete)
    try expectEqual(full, other, heads: 1)
  }

  @Test(
    "Replicas that write, close, fork and sync over lossy transports become equal",
    arguments: TestSeed.first(10))
  func random(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var logs = (0..<3).map { Self.log(UInt64($0) + 90_000) }
    for _ in 0..<40 {
      let place = Int.random(in: logs.indices, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<5: try await logs[place].write("\(random.next())")
      case 5..<7: try await logs[place].closeSome(&random)
      case 7 where logs.count < 6:
        logs.append(logs[place].copy(isNoticed: Bool.random(using: &random)))
      default:
        let other = (place + Int.random(in: 1..<logs.count, using: &random)) % logs.count
        var simulation = try SyncSimulation(
          initiator: logs[place], responder: logs[other], wallClock: Self.noon, seed: random.next(),
          faults: Bool.random(using: &random) ? .watch : .none)
        let cut = Int.random(in: 0..<3, using: &random) == 0 ? 3 : nil
        let report = try await simulation.run(cutAfter: cut, maxSteps: 2_000)
        #expect(report != nil || cut != nil, "seed \(seed)")
      }
    }
    for _ in 0..<4 {
      for other in logs.dropFirst() { try await sync(logs[0], other, seed: seed) }
    }
    for other in logs.dropFirst() {
      let (report, _) = try await sync(other, logs[0], seed: seed)
      #expect(report.method == .equal, "seed \(seed)")
    }
    let vectors = try logs.map { VersionVector(branches: try $0.branches()) }
    #expect(Set(vectors).count == 1, "seed \(seed)")
    #expect(Set(try logs.map { try $0.lastPosition() }).count == 1, "seed \(seed)")
  }

  @Test("A responder that keeps naming closed heads it never sends ends the sync")
  func hostile() async throws {
    let log = Self.log(90_000)
    var random = SeededGenerator(seed: 7)
    let strange = ReplicaID(high: 3 << 32, low: 3)
    var history = EventHistory(strange)
    let first = history.run(count: 1)
    let executor = SyncExecutor(log: log, wallClock: Self.noon)
    var initiator = SyncInitiator(
      store: log.storeID, log: try executor.snapshot(), options: SyncOptions())
    var inputs: [SyncInput] = [.start]
    var messages = 0
    var error: SyncError?
    while let input = inputs.popLast(), error == nil {
      var actions: [SyncAction] = []
      do throws(SyncError) { actions = try initiator.handle(input) } catch let caught {
        error = caught
      }
      for action in actions {
        if let next = try await executor.perform(action) { inputs.append(next) }
        guard case .send(let bytes) = action else { continue }
        messages += 1
        var fork = history
        let names = (0..<BranchesClosed.maxHeads).map { _ in
          Head(
            replica: .random(using: &random), sequence: .first,
            id: EventID(words: (random.next() >> 20, random.next(), random.next(), 1)))
        }
        let closing = fork.run([BranchesClosed(heads: names).written])
        var answer = SyncMessage()
        answer.number = try SyncMessage(bytes: bytes).number
        answer.acknowledged = []
        answer.vector = .init(heads: [SyncPoint(prefix: strange.prefix, sequence: 2, suffix: 1)])
        answer.events = .stored(
          SyncRun.encode([outgoing(first, strange), outgoing(closing, strange)]))
        inputs.insert(.message(answer.encoded()), at: 0)
      }
      try #require(messages < 600)
    }
    #expect(error?.code == .noProgress)
  }

  private func outgoing(_ run: EventRun, _ replica: ReplicaID) -> SyncRun {
    var outgoing = OutgoingRun(
      branch: BranchIndex(rawValue: 0), reference: .full(replica),
      firstSequence: run.firstSequence.rawValue,
      previous: run.firstSequence == .first ? nil : run.previous)
    for (index, item) in run.items.enumerated() {
      item.payload.withUnsafeBytes {
        outgoing.append(id: run.slice(0..<index + 1).lastID, payload: $0)
      }
    }
    return outgoing.run
  }
}

extension InMemoryEventLog {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  fileprivate func write(_ text: String) async throws {
    _ = try await record(
      [NewEvent(payload: Array("\u{1}\(text)".utf8))], wallClock: Self.noon, expecting: nil)
  }

  /// Continues under another ReplicaID, as a copy does.
  fileprivate func rename(_ number: Int) async throws {
    let own = try identity().replica
    var history = EventHistory(own, milliseconds: 1_790_000_001_000 + Int64(number) * 1_000)
    var events: [StoredEvent] = []
    try scan(after: .start) { event in
      if event.replica == own { events.append(event.event) }
      return true
    }
    history.resume(after: events)
    // Another process wrote under this log's ReplicaID.
    _ = try await append([history.run(count: 1)], wallClock: Self.noon, erasures: nil)
  }

  /// Closes all heads but its own.
  fileprivate func closeAll() async throws {
    let own = try identity().replica
    try await close(try branches().filter { !$0.isClosed && $0.replica != own }.map(\.head))
  }

  fileprivate func closeSome(_ random: inout SeededGenerator) async throws {
    let heads = try branches().map(\.head).shuffled(using: &random)
    try await close(Array(heads.prefix(Int.random(in: 1...3, using: &random))))
  }

  private func close(_ heads: [Head]) async throws {
    let most = BranchesClosed.maxHeads
    for start in stride(from: 0, to: heads.count, by: most) {
      let closed = BranchesClosed(heads: Array(heads[start...].prefix(most)))
      _ = try await record(
        [NewEvent(payload: closed.written)], wallClock: Self.noon, expecting: nil)
    }
  }
}

/// Generates the ReplicaIDs of new identities.
private final class SharedNames: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

  func next() -> ReplicaID { generator.withLock { ReplicaID.random(using: &$0) } }
}
