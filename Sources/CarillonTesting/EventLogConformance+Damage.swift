public import CarillonModel

extension EventLogConformance {
  /// Changes a byte of the payload at a position of a log, and returns the damaged log.
  ///
  /// It may close the log that it receives.
  public typealias Damage = @Sendable (any EventLog, LogPosition) async throws -> any EventLog

  /// A rule that an adapter must keep when its bytes are damaged.
  public struct DamageCheck: Sendable, CustomStringConvertible {
    /// The rule, as a sentence.
    public let description: String
    private let body: @Sendable (DamageProbe) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (DamageProbe) async throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Runs the check on a new log.
    ///
    /// - Throws: ``ConformanceFailure`` if the adapter breaks the rule; otherwise the adapter's
    ///   errors.
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

  /// All checks of damaged logs.
  public static let damageChecks: [DamageCheck] = [
    DamageCheck("A damaged payload is reported, and repaired by a run that contains it") { check in
      let probe = try await check.damaging(3)
      try expect(try check.damagedPositions(probe), is: [3], "the damaged positions")
      let run = check.run
      try expect(try await probe.append(run), is: .duplicate(repaired: 1), "repaired")
      try expect(try await probe.append(run), is: .duplicate(repaired: 0), "once")
      try check.expectWhole(probe)
      await probe.log.close()
    },
    DamageCheck("A damaged payload is not erased, because its digest would be wrong") { check in
      let probe = try await check.damaging(3)
      let before = try probe.events()
      try expect(try await probe.log.erase(check.erasing(2, 3)), is: 1, "erased payloads")
      try expect(
        try probe.events().map { $0.redacted != nil }, is: [false, true, false, false, false],
        "the redacted events")
      try expect(try probe.events()[2], is: before[2], "the damaged event")
      try expect(try check.damagedPositions(probe), is: [3], "the damaged positions")
      await probe.log.close()
    },
    DamageCheck("A damaged payload is replaced by the redacted form that a run contains") { check in
      let probe = try await check.damaging(3)
      _ = try await probe.log.erase(check.erasing(3))
      let redacted = EventLogConformance.redacted(check.run, check.erasure) { $0 == 2 }
      try expect(try await probe.append(redacted), is: .duplicate(repaired: 1), "repaired")
      let digest = PayloadDigest(check.run.items[2].payload)
      let content = RedactedContent(digest: digest, erasure: check.erasure)
      try expect(
        try probe.events().map(\.redacted), is: [nil, nil, content, nil, nil], "redacted contents")
      try expect(try check.damagedPositions(probe), is: [], "the damaged positions")
      try expect(try await probe.append(check.run), is: .duplicate(repaired: 0), "permanently")
      await probe.log.close()
    },
    DamageCheck("A damaged payload can be erased once it is repaired") { check in
      let probe = try await check.damaging(3)
      _ = try await probe.append(check.run)
      try expect(try await probe.log.erase(check.erasing(3)), is: 1, "erased payloads")
      try expect(try check.damagedPositions(probe), is: [], "the damaged positions")
      await probe.log.close()
    },
    DamageCheck("A damaged erasing event erases nothing until it is repaired") { check in
      let probe = try await check.damaging(3)
      let erasure = check.run.slice(2..<3).lastID
      let erased = [ErasedPayload(position: LogPosition(rawValue: 1), erasure: erasure)]
      try expect(try await probe.log.erase(erased), is: 0, "erased payloads")
      _ = try await probe.append(check.run)
      try expect(try await probe.log.erase(erased), is: 1, "erased payloads")
      await probe.log.close()
    },
  ]
}

/// A log under test: a run of four events of another replica, and one event that may erase.
struct DamageProbe: Sendable {
  let probe: EventLogProbe
  let run: EventRun
  let erasure: EventID
  let damage: EventLogConformance.Damage

  /// Damages the payload at a position, and returns the damaged log.
  func damaging(_ position: UInt64) async throws -> EventLogProbe {
    let log = try await damage(probe.log, LogPosition(rawValue: position))
    return EventLogProbe(log: log, store: probe.store, replica: probe.replica)
  }

  func erasing(_ positions: UInt64...) -> [ErasedPayload] {
    positions.map { ErasedPayload(position: LogPosition(rawValue: $0), erasure: erasure) }
  }

  func damagedPositions(_ probe: EventLogProbe) throws -> [UInt64] {
    try probe.log.damagedEvents().map(\.position.rawValue)
  }

  func expectWhole(_ probe: EventLogProbe) throws {
    try expect(
      try probe.texts(), is: ["event 1", "event 2", "event 3", "event 4", "the erasure"],
      "the payloads")
    try expect(try damagedPositions(probe), is: [], "the damaged positions")
  }
}
