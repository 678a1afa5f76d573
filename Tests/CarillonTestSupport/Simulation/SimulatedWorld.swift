package import Carillon
internal import CarillonLog
package import CarillonModel
internal import CarillonSQLite
internal import CarillonSync
internal import CarillonWire
internal import Foundation
internal import Synchronization

/// A simulation of up to seven replicas of one store, with everything that may happen to them.
///
/// All replicas edit and erase. Several syncs run at once, over transports that drop, repeat,
/// delay, cut and corrupt messages. Processes crash before and after commits. Replicas are cloned,
/// backed up, restored and upgraded. Clocks stop, run wrong, or are off by years.
///
/// The same seed produces the same simulation, message for message. ``run()`` runs it, repairs the
/// transports, and throws an error if an invariant is violated.
package struct SimulatedWorld {
  package let seed: UInt64
  private let storage: Store.Storage
  private let makeFirst: MakeDisk?
  var random: SeededGenerator
  var replicas: [SimulatedReplica] = []
  /// All events ever written, with their payloads.
  var written: [EventID: StoredEvent] = [:]
  /// The acknowledged events, except those that a restored backup may have lost.
  var acknowledged: Set<EventID> = []
  private var syncs: [RunningSync] = []
  private var payloads: PayloadGenerator<SeededGenerator>
  /// The digest of all messages, in order.
  private var messages = ContentDigest()

  private struct RunningSync {
    let initiator: Int
    let responder: Int
    var simulation: SyncSimulation
    /// The number of steps until the transport is cut.
    var stepsLeft: Int
  }

  static let maxReplicas = 7
  static let store = StoreID(high: 0xCA21, low: 0x110)
  private static let stepCount = 90
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  /// Creates the storage of a log.
  package typealias MakeDisk =
    (StoreID, ReplicaID, @escaping @Sendable () -> ReplicaID) throws -> any SimulatedDisk

  /// - Parameters:
  ///   - storage: The storage of the logs that are in files.
  ///   - makeFirst: Creates the storage of the first replica's log; nil for that of the others.
  package init(
    seed: UInt64, storage: Store.Storage = .standard, first makeFirst: MakeDisk? = nil
  ) {
    self.seed = seed
    self.storage = storage
    self.makeFirst = makeFirst
    random = SeededGenerator(seed: seed)
    payloads = PayloadGenerator(SeededGenerator(seed: ~seed))
  }

  /// Runs the simulation to its end.
  ///
  /// - Throws: ``SimulationFailure``, also for any unexpected error.
  package mutating func run() async throws {
    for _ in 0..<Int.random(in: 2...4, using: &random) {
      try await add(makeDisk())
    }
    do {
      for _ in 0..<Self.stepCount { try await step() }
      for sync in syncs { try check(sync.simulation) }
      try await repair()
      try await converge()
      try await check()
    } catch let failure as SimulationFailure {
      await close()
      throw failure
    } catch {
      await close()
      throw SimulationFailure(seed: seed, problem: "an unexplained \(type(of: error)): \(error)")
    }
    await close()
  }

  private func close() async {
    for replica in replicas { await replica.close() }
  }

  /// The SHA-256 of all messages sent over transports, in order.
  ///
  /// The same seed produces the same value.
  package var transcript: [UInt8] { messages.finalize() }

  func failure(_ problem: String) -> SimulationFailure {
    SimulationFailure(seed: seed, problem: problem)
  }

  // MARK: - Steps

  private mutating func step() async throws {
    let place = Int.random(in: replicas.indices, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<26: try await write(at: place)
    case 26..<38: try beginSync(of: place)
    case 38..<72: try await advance()
    case 72..<76: try await copy(place)
    case 76..<79: try await backUp(place)
    case 79..<82: try await restore(place)
    case 82..<86: try await crash(place)
    case 86..<90: _ = try await replicas[place].projections.sweep()
    case 90..<93: _ = try await replicas[place].projections.catchUp()
    case 93..<95: try await upgrade(place)
    case 95..<97: try await fail(place)
    default:
      if replicas[place].disk.directory != nil, random.oneIn(2) { return try await fail(place) }
      moveClock(of: place)
    }
  }

  /// Creates an empty log.
  ///
  /// One simulation in eight uses files, which can be damaged.
  private mutating func makeDisk() throws -> any SimulatedDisk {
    let name = ReplicaID.random(using: &random)
    let makeReplicaID = makeReplicaID()
    if replicas.isEmpty, let makeFirst { return try makeFirst(Self.store, name, makeReplicaID) }
    guard seed % 8 == 3 else {
      return MemoryDisk(
        InMemoryEventLog(storeID: Self.store, replica: name, makeReplicaID: makeReplicaID))
    }
    return try FileDisk(
      storage.logs, storeID: Self.store, replica: name, makeReplicaID: makeReplicaID)
  }

  private mutating func makeReplicaID() -> @Sendable () -> ReplicaID {
    let names = SharedGenerator(seed: random.next())
    return { names.replicaID() }
  }

  private mutating func add(_ disk: any SimulatedDisk) async throws {
    let isOld = random.oneIn(4)
    let kinds: Set<UInt32> = isOld ? random.pick([[25], [27], [6, 14], [8, 27]]) : []
    replicas.append(
      try await SimulatedReplica(disk, clock: Self.noon, unknownKinds: kinds))
    moveClock(of: replicas.count - 1)
  }

  private mutating func moveClock(of place: Int) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: break  // It stops.
    case 1: replicas[place].clock = Self.noon.adding(hours: -30 * 24 * 365)
    case 2: replicas[place].clock = Self.noon.adding(hours: 50 * 24 * 365)
    case 3:
      replicas[place].clock = Self.noon.adding(
        hours: Int64.random(in: -48...48, using: &random))
    default:
      replicas[place].clock = replicas[place].clock.adding(
        hours: Int64.random(in: 0...9, using: &random))
    }
  }

  private mutating func write(at place: Int) async throws {
    let replica = replicas[place]
    var chosen = (0..<Int.random(in: 1...12, using: &random)).map { _ in payloads.next() }
    if random.oneIn(6) { chosen += try closing(at: place) }
    let events = try chosen.map { NewEvent(payload: try payloads.encode($0)) }
    let before = try replica.log.lastPosition()
    guard
      case .recorded(let recorded) = try await replica.log.record(
        events, wallClock: replica.clock, expecting: nil)
    else { throw failure("an unconditional record was refused") }
    for (payload, event) in zip(chosen, recorded.events) {
      payloads.observe(payload, as: event.id)
      acknowledged.insert(event.id)
    }
    try note(after: before, of: replica.log)
  }

  /// Returns an event that closes some of the other open heads of a replica, or no event if there
  /// are none.
  private mutating func closing(at place: Int) throws -> [Payload] {
    let own = try replicas[place].log.identity().replica
    let open = try replicas[place].log.branches().filter { !$0.isClosed && $0.replica != own }
    let heads = open.map(\.head).shuffled(using: &random)
      .prefix(Int.random(in: 1...4, using: &random))
    return heads.isEmpty ? [] : [.branchesClosed(BranchesClosed(heads: Array(heads)))]
  }

  /// Records the events that a replica wrote, including the announcement of a new identity.
  mutating func note(after position: LogPosition, of log: any EventLog) throws {
    try log.scan(after: position) { event in
      if event.redacted == nil, !event.isMissing, written[event.id] == nil {
        written[event.id] = event.event
      }
      return true
    }
  }

  /// Copies a directory.
  ///
  /// The copy is noticed when it is opened, or by a sync.
  private mutating func copy(_ place: Int) async throws {
    guard replicas.count < Self.maxReplicas else { return }
    try await repair()
    try await add(replicas[place].disk.copy(isNoticed: random.oneIn(2)))
  }

  private mutating func backUp(_ place: Int) async throws {
    try await repair()
    try await replicas[place].backUp()
  }

  private mutating func restore(_ place: Int) async throws {
    guard let backup = replicas[place].backup else { return }
    // An event that is damaged here may be intact only on this replica.
    try await repair()
    end(syncsOf: place)
    // Events that no other replica holds are lost with the disk.
    let lost = try ids(of: replicas[place].log).subtracting(ids(of: backup.log))
    var elsewhere: Set<EventID> = []
    for (index, replica) in replicas.enumerated() where index != place {
      elsewhere.formUnion(try ids(of: replica.log))
    }
    acknowledged.subtract(lost.subtracting(elsewhere))
    try await replicas[place].restore(isNoticed: random.oneIn(2))
  }

  private mutating func crash(_ place: Int) async throws {
    end(syncsOf: place)
    try await replicas[place].restart()
  }

  /// Damages a file, or stops the machine during a commit; has no effect on a log in memory.
  private mutating func fail(_ place: Int) async throws {
    guard replicas[place].disk.directory != nil else { return }
    if random.oneIn(2) {
      try await damage(place)
    } else {
      end(syncsOf: place)
      try await crashWriting(at: place)
    }
  }

  private mutating func upgrade(_ place: Int) async throws {
    guard !replicas[place].unknownKinds.isEmpty else { return }
    end(syncsOf: place)
    try await replicas[place].upgrade()
  }

  func ids(of log: any EventLog) throws -> Set<EventID> {
    var ids: Set<EventID> = []
    try log.scan(after: .start) { event in
      ids.insert(event.id)
      return true
    }
    return ids
  }

  // MARK: - Syncs

  private mutating func beginSync(of place: Int) throws {
    guard replicas.count > 1, syncs.count < 3 else { return }
    let other = (place + Int.random(in: 1..<replicas.count, using: &random)) % replicas.count
    var faults: LossyTransport.Faults = random.oneIn(2) ? .none : .watch
    if random.oneIn(5) { faults.corruption = 100 }
    var simulation = try self.simulation(place, other, faults: faults)
    if random.oneIn(8) {
      simulation.crash = SimulatedCrash(isAfterCommit: random.oneIn(2))
    }
    syncs.append(
      RunningSync(
        initiator: place, responder: other, simulation: simulation,
        stepsLeft: random.oneIn(3) ? Int.random(in: 1...12, using: &random) : 2_000))
  }

  mutating func simulation(
    _ initiator: Int, _ responder: Int, faults: LossyTransport.Faults = .none, audits: Bool = false
  ) throws -> SyncSimulation {
    let limits = [20_000, 60_000, 1_000_000, 4 << 20]
    func options() -> SyncOptions {
      SyncOptions(
        maxMessageBytes: random.pick(limits), window: random.pick([1, 4]),
        deflatesFullMessages: random.oneIn(2), audits: audits)
    }
    return try SyncSimulation(
      initiator: replicas[initiator].log, responder: replicas[responder].log,
      wallClock: replicas[initiator].clock, seed: random.next(), faults: faults,
      options: (options(), options()),
      contents: (replicas[initiator].contents, replicas[responder].contents))
  }

  /// Takes up to six steps of one of the syncs.
  private mutating func advance() async throws {
    guard let index = syncs.indices.randomElement(using: &random) else { return }
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard try await isRunning(index) else { return }
    }
  }

  /// Takes a step of a sync, and returns false if the sync ended.
  private mutating func isRunning(_ index: Int) async throws -> Bool {
    var sync = syncs[index]
    let before = try [sync.initiator, sync.responder].map { try replicas[$0].log.lastPosition() }
    var isOver = sync.stepsLeft == 0
    var crashed: Int?
    sync.stepsLeft -= 1
    do {
      if try await sync.simulation.step() != nil { isOver = true }
    } catch let crash as SimulatedCrash {
      isOver = true
      crashed = crash.isOfInitiator ? sync.initiator : sync.responder
    } catch is SyncError where sync.simulation.hasCorrupted || sync.simulation.hasLost {
      // A faulty transport may end a sync, but must do no damage.
      isOver = true
    }
    for (place, position) in zip([sync.initiator, sync.responder], before) {
      try note(after: position, of: replicas[place].log)
    }
    guard isOver else {
      syncs[index] = sync
      return true
    }
    try check(sync.simulation)
    syncs.remove(at: index)
    if let crashed { try await crash(crashed) }
    return false
  }

  mutating func end(syncsOf place: Int) {
    syncs.removeAll { $0.initiator == place || $0.responder == place }
  }

  mutating func check(_ simulation: SyncSimulation) throws {
    for (_, bytes) in simulation.transcript { bytes.withUnsafeBytes { messages.update($0) } }
    guard !simulation.hasCorrupted else { return }
    for (isToResponder, bytes) in simulation.transcript
    where bytes.count > (isToResponder ? simulation.limits.responder : simulation.limits.initiator)
    {
      throw failure("a message has \(bytes.count) bytes, more than its receiver's limit")
    }
  }
}

/// A violated invariant of a simulation.
package struct SimulationFailure: Error, CustomStringConvertible {
  package let seed: UInt64
  package let problem: String

  package var description: String { "seed \(seed): \(problem)" }
}

/// Generates the replica IDs of new identities from a seed; copies of a log share the generator.
private final class SharedGenerator: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) {
    generator = Mutex(SeededGenerator(seed: seed))
  }

  func replicaID() -> ReplicaID {
    generator.withLock { ReplicaID.random(using: &$0) }
  }
}

extension Instant {
  func adding(hours: Int64) -> Instant {
    Instant(milliseconds: milliseconds + hours * 3_600_000)
  }
}
