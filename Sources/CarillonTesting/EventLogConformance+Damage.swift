public import CarillonModel

extension EventLogConformance {
  /// Changes a byte of the payload at a position of a log, and gives the log as it stands then;
  /// the one it was given may be closed.
  public typealias Damage = @Sendable (any EventLog, Position) async throws -> any EventLog

  /// One thing that an adapter has to do where its bytes changed.
  public struct DamageCheck: Sendable, CustomStringConvertible {
    /// A sentence of behaviour.
    public let description: String
    private let body: @Sendable (DamageProbe) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (DamageProbe) async throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Runs the check on a fresh log.
    ///
    /// - Throws: ``ConformanceFailure`` where the adapter does something else, or what it throws.
    public func run(on makeLog: Factory, damage: @escaping Damage) async throws {
      let store = StoreID(high: 1, low: 1)
      let replica = ReplicaID(high: 0x0A, low: 1)
      let log = try makeLog(store, replica)
      var history = EventHistory(ReplicaID(high: 0x0F, low: 1))
      let run = history.run(count: 4)
      _ = try await log.append([run], wallClock: EventLogProbe.noon)
      let probe = EventLogProbe(log: log, store: store, replica: replica)
      let erasure = try await probe.record("the erasure").events[0].id
      let damaged = DamageProbe(
        probe: probe, run: run, erasure: erasure, damage: damage)
      try await body(damaged)
    }
  }

  /// All checks of damage.
  public static let damageChecks: [DamageCheck] = [
    DamageCheck("A damaged payload is named, and repaired by a run that has it") { check in
      let probe = try await check.damaging(3)
      try expect(try check.damagedPositions(probe), is: [3], "what is damaged")
      let run = check.run
      try expect(try await probe.append(run), is: .duplicate(repaired: 1), "repaired")
      try expect(try await probe.append(run), is: .duplicate(repaired: 0), "once")
      try check.expectWhole(probe)
      await probe.log.close()
    },
    DamageCheck("A damaged payload is not erased: its digest would be a wrong one") { check in
      let probe = try await check.damaging(3)
      let before = try probe.events()
      try expect(try await probe.log.erase(check.erasing(2, 3)), is: 1, "payloads taken")
      try expect(
        try probe.events().map { $0.redacted != nil }, is: [false, true, false, false, false],
        "what is redacted")
      try expect(try probe.events()[2], is: before[2], "the damaged event")
      try expect(try check.damagedPositions(probe), is: [3], "what is damaged")
      await probe.log.close()
    },
    DamageCheck("A damaged payload takes the redacted form that a run has of it") { check in
      let probe = try await check.damaging(3)
      _ = try await probe.log.erase(check.erasing(3))
      let redacted = EventLogConformance.redacted(check.run, check.erasure) { $0 == 2 }
      try expect(try await probe.append(redacted), is: .duplicate(repaired: 1), "repaired")
      let digest = PayloadDigest(check.run.items[2].payload)
      let content = RedactedContent(digest: digest, erasure: check.erasure)
      try expect(
        try probe.events().map(\.redacted), is: [nil, nil, content, nil, nil], "what is left")
      try expect(try check.damagedPositions(probe), is: [], "what is damaged")
      try expect(try await probe.append(check.run), is: .duplicate(repaired: 0), "for ever")
      await probe.log.close()
    },
    DamageCheck("A damaged payload that is whole again is erased as any other") { check in
      let probe = try await check.damaging(3)
      _ = try await probe.append(check.run)
      try expect(try await probe.log.erase(check.erasing(3)), is: 1, "payloads taken")
      try expect(try check.damagedPositions(probe), is: [], "what is damaged")
      await probe.log.close()
    },
    DamageCheck("A damaged erasing event takes nothing until it is whole") { check in
      let probe = try await check.damaging(3)
      let erasure = check.run.slice(2..<3).lastID
      let erased = [ErasedPayload(position: Position(rawValue: 1), erasure: erasure)]
      try expect(try await probe.log.erase(erased), is: 0, "payloads taken")
      _ = try await probe.append(check.run)
      try expect(try await probe.log.erase(erased), is: 1, "payloads taken")
      await probe.log.close()
    },
  ]
}

/// A log of a run of four events of another replica and of one that may erase, under check.
struct DamageProbe: Sendable {
  let probe: EventLogProbe
  let run: EventRun
  let erasure: EventID
  let damage: EventLogConformance.Damage

  /// The log once the payload at a position is damaged.
  func damaging(_ position: UInt64) async throws -> EventLogProbe {
    let log = try await damage(probe.log, Position(rawValue: position))
    return EventLogProbe(log: log, store: probe.store, replica: probe.replica)
  }

  func erasing(_ positions: UInt64...) -> [ErasedPayload] {
    positions.map { ErasedPayload(position: Position(rawValue: $0), erasure: erasure) }
  }

  func damagedPositions(_ probe: EventLogProbe) throws -> [UInt64] {
    try probe.log.damagedEvents().map(\.position.rawValue)
  }

  func expectWhole(_ probe: EventLogProbe) throws {
    try expect(
      try probe.texts(), is: ["event 1", "event 2", "event 3", "event 4", "the erasure"],
      "the payloads")
    try expect(try damagedPositions(probe), is: [], "what is damaged")
  }
}
