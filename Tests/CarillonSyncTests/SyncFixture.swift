import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire

/// Logs of one store, with a clock and a seeded generator.
struct SyncFixture {
  static let store = StoreID(high: 0x0102_0304_0506_0708, low: 1)
  static let start: Int64 = 1_750_000_000_000

  var clock = Self.start
  var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  mutating func log() -> InMemoryEventLog {
    Self.log(store: Self.store, replica: .random(using: &generator))
  }

  mutating func copy(_ log: InMemoryEventLog) -> InMemoryEventLog {
    Self.copy(log, seed: generator.next())
  }

  /// Records events in a log, 1 millisecond to 10 minutes apart.
  mutating func write(
    _ count: Int, to log: InMemoryEventLog, payload: (inout SeededGenerator) -> [UInt8] = Self.small
  ) throws {
    for _ in 0..<count {
      clock += Int64.random(in: 1...600_000, using: &generator)
      try log.recordBlocking(
        [NewEvent(payload: payload(&generator))], wallClock: Instant(milliseconds: clock))
    }
  }

  /// Syncs two logs over a transport without faults.
  mutating func synchronize(
    _ initiator: InMemoryEventLog, _ responder: InMemoryEventLog,
    options: SyncOptions = SyncOptions()
  ) async throws -> SyncReport? {
    var simulation = try simulation(initiator, responder, options: options)
    return try await simulation.run()
  }

  mutating func simulation(
    _ initiator: InMemoryEventLog, _ responder: InMemoryEventLog,
    faults: LossyTransport.Faults = .none,
    options: SyncOptions = SyncOptions()
  ) throws -> SyncSimulation {
    try SyncSimulation(
      initiator: initiator, responder: responder, wallClock: Instant(milliseconds: clock),
      seed: generator.next(), faults: faults, options: (options, options))
  }

  /// 1 to 40 bytes.
  static func small(_ generator: inout SeededGenerator) -> [UInt8] {
    bytes(Int.random(in: 1...40, using: &generator), &generator)
  }

  /// Bytes that do not deflate.
  static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}

/// Messages written by hand, to test the limits of a message.
extension SyncFixture {
  static let point = SyncPoint(prefix: 1, sequence: 1, suffix: 1)

  static func message(_ change: (inout SyncMessage) -> Void) -> SyncMessage {
    var message = SyncMessage()
    message.version = 1
    message.store = store.high
    message.vector = SyncMessage.Vector(heads: [point])
    change(&message)
    return message
  }

  static func run(count: Int = 1, payload: Int = 1) -> SyncRun {
    var run = SyncRun(replica: .prefix(1), firstSequence: 2, previousSuffix: 1)
    run.milliseconds = Array(repeating: 1, count: count)
    run.counters = Array(repeating: 0, count: count)
    run.lengths = Array(repeating: UInt32(payload), count: count)
    run.payloads = Array(repeating: 1, count: count * payload)
    return run
  }
}
