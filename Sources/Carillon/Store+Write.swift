import CarillonModel
import CarillonSQLite
import Foundation
import Synchronization

/// What a verb decided to write.
struct Decision: Sendable {
  var payloads: [Payload]
  /// Whether it holds only for the state it was made on; otherwise merging makes it hold for any.
  var needsState = false
  /// The date of which it was made, where it is of one.
  var date: CivilDate?
}

/// What a verb decides on.
struct Context {
  let reader: ProjectionReader
  /// Under which name is written.
  let replica: ReplicaID
  /// As which device the store asks and plans.
  let device: ReplicaID
  let now: Instant
  let zone: TimeZone
  let settings: StoreSettings
  /// The logical date of now.
  let today: CivilDate

  /// The same at another moment, or in another zone.
  func at(_ moment: Instant, in zone: TimeZone? = nil) -> Context {
    let zone = zone ?? self.zone
    return Context(
      reader: reader, replica: replica, device: device, now: moment, zone: zone,
      settings: settings, today: LogicalDate.of(moment, in: zone, dayStart: settings.dayStart))
  }

  func date(_ day: Day) throws(ModelError) -> CivilDate {
    switch day {
    case .today, .due: return today
    case .date(let date):
      guard CivilDate.accepted.contains(date) else {
        throw .invalid("date", "\(date) is out of range; \(Self.acceptedDates)")
      }
      return date
    }
  }

  /// - Throws: `invalidValue` where the clock shows a date that no event may name.
  func requireToday() throws(ModelError) {
    guard !CivilDate.accepted.contains(today) else { return }
    throw ModelError(
      code: .invalidValue, message: "it is \(today) by the clock; \(Self.acceptedDates)",
      hint: "set the clock of this device, or give another --now")
  }

  private static let acceptedDates =
    "dates from \(CivilDate.accepted.lowerBound) to \(CivilDate.accepted.upperBound) are allowed"
}

extension Store {
  /// Decides on the newest state and writes what was decided, with what else is due: the device's
  /// description where it changed, and the day's activity.
  ///
  /// A decision that needs its state is made again when another writer came first; after three
  /// times it is made inside the write transaction, where nobody comes in between.
  func write(
    isActivity: Bool = true,
    _ decide: @escaping @Sendable (Context) throws -> Decision
  ) async throws -> Written {
    try await translatingErrors {
      _ = try Timestamp.next(wallClock: self.options.clock(), after: nil)
      for _ in 0..<3 {
        let (decision, position) = try await self.projections.read { reader in
          (try self.complete(decide, isActivity: isActivity, reader), reader.position)
        }
        let now = self.options.clock()
        let events = try decision.payloads.map { try NewEvent($0, at: now) }
        guard !events.isEmpty else { return Written(events: [], date: decision.date) }
        let outcome = try await self.log.record(
          events, wallClock: now, expecting: decision.needsState ? position : nil)
        if case .recorded(let recorded) = outcome {
          return self.written(recorded, decision.payloads, date: decision.date)
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
        try self.complete(decide, isActivity: isActivity, reader)
      }
      decided.set(decision)
      return try decision.payloads.map { try NewEvent($0, at: now) }
    }
    let (payloads, date) = (decided.value.payloads, decided.value.date)
    return recorded.map { written($0, payloads, date: date) } ?? Written(events: [], date: date)
  }

  private func complete(
    _ decide: (Context) throws -> Decision, isActivity: Bool, _ reader: ProjectionReader
  ) throws -> Decision {
    let context = try context(reader)
    if isActivity { try context.requireToday() }
    var decision = try decide(context)
    try leaveOutErased(of: &decision, context.reader)
    if isActivity { try addActivity(to: &decision, context) }
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

  /// Writes nothing that was erased for good: what the system did with notifications of it is left
  /// out, all else is refused.
  private func leaveOutErased(of decision: inout Decision, _ reader: ProjectionReader) throws {
    let erased = try reader.areErased(decision.payloads)
    guard erased.contains(true) else { return }
    for (payload, isErased) in zip(decision.payloads, erased) where isErased && !payload.isReceipt {
      throw StoreError(erased: payload)
    }
    decision.payloads = zip(decision.payloads, erased).filter { !$1 }.map(\.0)
  }

  /// Once per replica and logical day, whatever else is written.
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

  /// Again when the zone, its data or the capacity is no longer what the log says.
  private func addDescription(to decision: inout Decision, _ context: Context) throws {
    guard var described = try context.reader.device(context.replica)?.description else { return }
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
          preconditionFailure("kind \(payload.kindNumber) was written, which nobody knows")
        }
        return Written.Item(
          position: event.position, sequence: event.sequence, id: event.id, kind: kind)
      }, date: date)
  }
}
