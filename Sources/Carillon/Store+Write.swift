import CarillonModel
import CarillonSQLite
import Foundation
import Synchronization

/// The events that a verb decided to write.
struct Decision: Sendable {
  var payloads: [Payload]
  /// Whether the decision is valid only for the state on which it was made.
  ///
  /// Otherwise merging makes it valid for any state.
  var needsState = false
  /// The date that the decision concerns, if any.
  var date: CivilDate?
  /// Whether the decision is a use of the app even if it writes nothing else.
  var isUse = false
}

extension Store {
  /// Makes a decision on the newest state and writes it.
  ///
  /// Also writes the device's description if it changed, and the day's activity, unless there is
  /// nothing to write.
  ///
  /// A decision that needs its state is made again if another writer came first. After three
  /// attempts it is made inside the write transaction, which excludes other writers.
  func write(
    isActivity: Bool = true,
    _ decide: @escaping @Sendable (Context) throws -> Decision
  ) async throws(StoreError) -> Written {
    try await StoreError.translating {
      _ = try Timestamp.next(wallClock: self.options.clock(), after: nil)
      for _ in 0..<3 {
        let (decision, outcome) = try await self.decisions.make(in: self) { context in
          try self.complete(decide, isActivity: isActivity, context)
        }
        switch outcome {
        case nil: return Written(events: [], date: decision.date)
        case .recorded(let recorded):
          return self.written(recorded, decision.payloads, date: decision.date)
        case .headMoved: continue
        }
      }
      return try await self.writeAlone(isActivity: isActivity, decide)
    }
  }

  private func writeAlone(
    isActivity: Bool, _ decide: @escaping @Sendable (Context) throws -> Decision
  ) async throws -> Written {
    let decided = Locked(Decision(payloads: []))
    let now = options.clock()
    let projections = try await projections
    let recorded = try await log.record(wallClock: now) {
      let decision = try projections.readSynchronously { reader in
        try self.complete(decide, isActivity: isActivity, self.context(reader))
      }
      decided.set(decision)
      return try decision.payloads.map { try NewEvent($0, at: now) }
    }
    let (payloads, date) = (decided.value.payloads, decided.value.date)
    return recorded.map { written($0, payloads, date: date) } ?? Written(events: [], date: date)
  }

  private func complete(
    _ decide: (Context) throws -> Decision, isActivity: Bool, _ context: Context
  ) throws -> Decision {
    if isActivity { try context.requireToday() }
    var decision = try decide(context)
    try leaveOutErased(of: &decision, context.reader)
    try stateReplaced(in: &decision, context)
    if isActivity, decision.isUse || !decision.payloads.isEmpty {
      try addActivity(to: &decision, context)
    }
    if !decision.payloads.isEmpty { try addDescription(to: &decision, context) }
    return decision
  }

  func context(_ reader: ProjectionReader) throws -> Context {
    let now = options.clock()
    let zone = options.zone()
    let settings = try reader.settings()
    let identity = try log.identity()
    return Context(
      reader: reader, replica: identity.replica, device: identity.device, now: now, zone: zone,
      settings: settings, today: LogicalDate.of(now, in: zone, dayStart: settings.dayStart))
  }

  /// Removes events about erased data from a decision: receipts of it are left out, and anything
  /// else is refused.
  private func leaveOutErased(of decision: inout Decision, _ reader: ProjectionReader) throws {
    let erased = try reader.areErased(decision.payloads)
    guard erased.contains(true) else { return }
    for (payload, isErased) in zip(decision.payloads, erased) where isErased && !payload.isReceipt {
      throw StoreError(erased: payload)
    }
    decision.payloads = zip(decision.payloads, erased).filter { !$1 }.map(\.0)
  }

  /// States in each edit which events it replaces, so that every replica can tell concurrent edits.
  private func stateReplaced(in decision: inout Decision, _ context: Context) throws {
    let stated = try context.reader.statingReplaced(decision.payloads, by: context.replica)
    guard stated != decision.payloads else { return }
    decision.payloads = stated
    decision.needsState = true
  }

  /// Adds the day's activity, once per replica and logical day.
  private func addActivity(to decision: inout Decision, _ context: Context) throws {
    let isKnown = lastActivity.withLock {
      $0.map { $0.replica == context.replica && $0.date >= context.today } ?? false
    }
    guard !isKnown else { return }
    if let last = try context.reader.lastActive(of: context.replica), last >= context.today {
      lastActivity.withLock { $0 = (context.replica, last) }
      return
    }
    decision.payloads.append(.appActive(AppActive(date: context.today)))
    decision.needsState = true
  }

  /// Adds the device's description again if the zone, its data or the capacity differs from the
  /// log.
  private func addDescription(to decision: inout Decision, _ context: Context) throws {
    guard var described = try context.reader.deviceDescription(of: context.replica) else { return }
    let before = described
    described.zone = context.zone.ianaName
    described.zoneDataVersion = TimeZone.timeZoneDataVersion
    described.capacity = options.capacity
    guard described != before else { return }
    decision.payloads.insert(.deviceDescribed(described), at: 0)
  }

  func written(
    _ recorded: Recorded, _ payloads: [Payload], date: CivilDate? = nil
  ) -> Written {
    Written(
      events: zip(recorded.events, payloads).map { event, payload in
        guard let kind = payload.kind else {
          preconditionFailure("kind \(payload.kindNumber) was written, but it is not a known kind")
        }
        return Written.Item(
          position: event.position, sequence: event.sequence, id: event.id, kind: kind)
      }, date: date)
  }
}
