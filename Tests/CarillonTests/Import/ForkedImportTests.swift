import CarillonLog
import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Synchronization
import Testing

@testable import Carillon

/// Imports of exported histories with many heads.
struct ForkedImportTests {
  /// A trunk of six events, and branches of three events that fork from it.
  private struct Forks {
    let trunk: [StoredEvent]
    let forks: [[StoredEvent]]

    init(_ count: Int) {
      var history = EventHistory(ReplicaID(high: 9, low: 9))
      trunk = Self.events(history.run(Self.payloads("trunk", 6)))
      forks = (0..<count).map { [history] number in
        var fork = history
        return Self.events(fork.run(Self.payloads("fork \(number)", 3)))
      }
    }

    /// As listed by a log that received one branch after another.
    var byFork: [StoredEvent] { trunk + forks.joined() }
    /// As listed by a log whose branches grew at the same time.
    var bySequence: [StoredEvent] { trunk + (0..<3).flatMap { place in forks.map { $0[place] } } }

    static func payloads(_ name: String, _ count: Int) -> [[UInt8]] {
      (0..<count).map { Array("\(name), \($0)".utf8) }
    }

    static func events(_ run: EventRun) -> [StoredEvent] {
      var (id, sequence) = (run.previous, run.firstSequence)
      return run.items.map { item in
        id = item.id(sequence: sequence, previous: id)
        defer { sequence = sequence.next }
        return StoredEvent(id: id, replica: run.replica, sequence: sequence, payload: item.payload)
      }
    }
  }

  private func append(
    _ events: [StoredEvent], to log: any EventLog, _ continuation: inout ImportContinuation
  ) async throws -> Int {
    try await EventImport.append(
      events, to: log, wallClock: Instant(milliseconds: 2_000_000), erasures: NoErasures(),
      &continuation
    ).added
  }

  @Test("Repeating an import reads as much for each event with 800 heads as with 20")
  func reads() async throws {
    var costs: [[Int]] = []
    for count in [20, 800] {
      let forks = Forks(count)
      let log = CountingLog(InMemoryEventLog(storeID: .random(), replica: .random()))
      var continuation = ImportContinuation()
      #expect(try await append(forks.byFork, to: log, &continuation) == 6 + 3 * count)
      var cost: [Int] = []
      for events in [forks.byFork, forks.bySequence] {
        let before = log.readCount
        var again = ImportContinuation()
        for start in stride(from: 0, to: events.count, by: 500) {
          let batch = Array(events[start..<min(start + 500, events.count)])
          #expect(try await append(batch, to: log, &again) == 0)
        }
        // What is read once for each branch.
        cost.append((log.readCount - before) / count)
      }
      // One more fork; branches are read for the first event that may start a held branch.
      _ = try await append([forks.forks[1][0]], to: log, &continuation)
      var last = Forks(count + 1).forks[count]
      let before = log.readCount
      #expect(try await append([last.removeFirst()], to: log, &continuation) == 1)
      #expect(try await append(last, to: log, &continuation) == 2)
      cost.append(log.readCount - before)
      #expect(continuation.leftOutCount == 0)
      costs.append(cost)
    }
    #expect(zip(costs[0], costs[1]).allSatisfy { $1 <= $0 + 1 }, "\(costs)")
  }

  @Test("An import leaves out histories beyond 1,984 heads, reports how many, and adds all others")
  func full() async throws {
    let log = InMemoryEventLog(storeID: .random(), replica: .random())
    var histories = (0..<VersionVector.maxTakenHeads).map {
      EventHistory(ReplicaID(high: UInt64($0) + 10, low: 1))
    }
    let heads = histories.indices.flatMap { index in
      Forks.events(histories[index].run(Forks.payloads("\(index)", 1)))
    }
    var continuation = ImportContinuation()
    #expect(try await append(heads, to: log, &continuation) == heads.count)
    #expect(continuation.leftOutCount == 0 && continuation.problem == nil)
    var stranger = EventHistory(ReplicaID(high: 1, low: 9))
    let strange = Forks.events(stranger.run(Forks.payloads("stranger", 4)))
    let more = Forks.events(histories[0].run(Forks.payloads("more", 2)))
    #expect(try await append(strange.prefix(2) + more, to: log, &continuation) == 2)
    #expect(continuation.leftOutCount == 2)
    // Events that follow from them, in a later batch, are also left out, without an error.
    #expect(try await append(Array(strange.suffix(2)), to: log, &continuation) == 0)
    #expect(continuation.leftOutCount == 4)
    let problem = try #require(continuation.problem)
    #expect(problem.message.contains("4 events were left out"))
    #expect(problem.message.contains("1984 heads"))
    #expect(try log.branches().count == VersionVector.maxTakenHeads)
  }
}

/// Confirms no erasure.
private struct NoErasures: HeldErasures {
  func confirm(_ redacted: RedactedContent, of event: EventID) -> Bool { false }

  func permitRestoring(
    _ payload: [UInt8], to redacted: RedactedContent, of event: EventID, at position: LogPosition
  ) -> Bool { false }
}

/// Counts the calls that read events.
private final class CountingLog: ForwardingLog {
  let log: any EventLog
  private let reads = Atomic(0)

  init(_ log: InMemoryEventLog) {
    self.log = log
  }

  var readCount: Int { reads.load(ordering: .relaxed) }

  func position(of id: EventID) throws -> LogPosition? {
    reads.add(1, ordering: .relaxed)
    return try log.position(of: id)
  }

  func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> LogPosition? {
    reads.add(1, ordering: .relaxed)
    return try log.position(on: branch, at: sequence)
  }

  func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    reads.add(1, ordering: .relaxed)
    try log.scan(after: position, body)
  }

  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    reads.add(1, ordering: .relaxed)
    try log.scan(branch: branch, from: sequence, body)
  }
}
