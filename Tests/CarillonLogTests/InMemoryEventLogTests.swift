import CarillonLog
import CarillonModel
import CarillonTesting
import Testing

/// The port's rules, tested on the log in memory.
struct InMemoryEventLogTests {
  @Test("The log in memory conforms", arguments: EventLogConformance.checks)
  func conforms(_ check: EventLogConformance.Check) async throws {
    try await check.run { InMemoryEventLog(storeID: $0, replica: $1) }
  }

  @Test("The log in memory repairs as the port asks", arguments: EventLogConformance.damageChecks)
  func repairs(_ check: EventLogConformance.DamageCheck) async throws {
    try await check.run {
      InMemoryEventLog(storeID: $0, replica: $1)
    } damage: { log, position in
      try #require(log as? InMemoryEventLog).damage(position)
      return log
    }
  }

  @Test("A copy continues on its own, under a new identity if the copying was noticed")
  func copies() async throws {
    let log = try await Self.log()
    let (quiet, noticed) = (log.copy(isNoticed: false), log.copy(isNoticed: true))
    try quiet.recordBlocking([NewEvent(payload: [9])], wallClock: Self.noon)
    try noticed.recordBlocking([NewEvent(payload: [9])], wallClock: Self.noon)
    #expect(try log.lastPosition().rawValue == 3)
    #expect(try quiet.lastPosition().rawValue == 4)
    #expect(try quiet.identity() == log.identity())
    #expect(try noticed.identity().predecessor == log.identity().replica)
    #expect(try noticed.branches().count == 2)
  }

  @Test("A restored log holds no later events, and does not find them by ID")
  func setsBack() async throws {
    let log = try await Self.log()
    let backup = log.saved
    var history = EventHistory(ReplicaID(high: 5, low: 5))
    _ = try await log.append([history.run(count: 2)], wallClock: Self.noon)
    let id = try #require(log.saved.events.last?.last).id
    log.restore(backup)
    #expect(try log.position(of: id) == nil)
    #expect(log.saved.events == backup.events)
    log.rollBack(to: LogPosition(rawValue: 1))
    #expect(try log.branches().map(\.headSequence.rawValue) == [1])
    try log.recordBlocking([NewEvent(payload: [7])], wallClock: Self.noon)
    #expect(log.saved.events[0].map(\.sequence.rawValue) == [1, 2])
    #expect(try log.damagedEvents() == [])
  }

  @Test("A write that fails leaves the log unchanged")
  func fails() async throws {
    let log = try await Self.log()
    log.fail(with: LogError(code: .full, message: "no room"))
    await #expect(throws: LogError.self) { try await log.erase([]) == 0 ? Self.write(log) : () }
    #expect(try log.lastPosition().rawValue == 3)
    log.fail(with: nil)
    try await Self.write(log)
    #expect(try log.lastPosition().rawValue == 4)
  }

  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  private static func write(_ log: InMemoryEventLog) async throws {
    _ = try await log.record([NewEvent(payload: [1])], wallClock: noon, expecting: nil)
  }

  /// Returns a log with three own events.
  private static func log() async throws -> InMemoryEventLog {
    let log = InMemoryEventLog(
      storeID: StoreID(high: 1, low: 1), replica: ReplicaID(high: 2, low: 2))
    for _ in 0..<3 { try await write(log) }
    return log
  }
}
