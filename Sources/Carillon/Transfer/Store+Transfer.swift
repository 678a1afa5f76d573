package import CarillonModel
import CarillonSQLite
import CarillonWire

extension Store {
  /// Writes payloads as new events of this replica, all or none.
  ///
  /// Adds no other event.
  ///
  /// - Throws: `invalidValue`, naming the field and the limit, or the erased habit or source.
  @discardableResult
  package func append(_ payloads: [Payload]) async throws(StoreError) -> Written {
    try await append(payloads) { events, now in
      let outcome = try await self.log.record(events, wallClock: now, expecting: nil)
      return if case .recorded(let recorded) = outcome { recorded } else { nil }
    } ?? .nothing
  }

  /// Writes payloads as new events of this replica, all or none, unless that was done before.
  ///
  /// No writer of any process can commit between the call of `isDone` and the commit. `note` is
  /// called in between. It must be durable when it returns. A crash right after it leaves the note
  /// without the events, so `isDone` must check that the store holds what a note names.
  ///
  /// - Returns: What was written; nil if it was done before.
  package func append(
    _ payloads: [Payload], unless isDone: @escaping @Sendable () throws -> Bool,
    noting note: @escaping @Sendable (Written) throws -> Void
  ) async throws(StoreError) -> Written? {
    try await append(payloads) { events, now in
      try await self.log.record(
        wallClock: now, deciding: { try isDone() ? [] : events },
        noting: { try note(self.written($0, payloads)) })
    }
  }

  private func append(
    _ payloads: [Payload], by record: ([NewEvent], Instant) async throws -> Recorded?
  ) async throws(StoreError) -> Written? {
    try await StoreError.translating {
      guard !payloads.isEmpty else { return nil }
      let now = self.options.clock()
      let events = try payloads.enumerated().map { index, payload in
        do throws(ModelError) {
          return try NewEvent(payload, at: now)
        } catch {
          throw StoreError(
            code: .invalidValue, message: error.message, index: index, cause: error)
        }
      }
      if let index = try await self.projections.areErased(payloads).firstIndex(of: true) {
        throw StoreError(erased: payloads[index], index: index)
      }
      guard let recorded = try await record(events, now) else { return nil }
      if payloads.contains(where: { if case .dataErased = $0 { true } else { false } }) {
        _ = await self.sweepNow()
      }
      return self.written(recorded, payloads)
    }
  }

  /// Adds events of this store's replicas, as exported by another replica.
  ///
  /// They are checked and linked as in a sync: they must be in order for each branch, each ID is
  /// recomputed, and a second history becomes a branch. Payloads that an erasure covers are not
  /// stored.
  ///
  /// - Returns: The number of new events.
  /// - Throws: `invalidValue` with the index of the first event that does not follow an event of
  ///   the log or whose content does not hash to its ID; no event is added then. `invalidValue`
  ///   without an index if histories beyond ``VersionVector/maxTakenHeads`` heads were left out;
  ///   all other events are added then.
  @discardableResult
  package func append(events: [StoredEvent]) async throws -> Int {
    var continuation = ImportContinuation()
    let added = try await add(events, &continuation).added
    if let problem = continuation.problem { throw problem }
    return added
  }

  /// Adds events, including events known only by ID.
  ///
  /// Such an event is added if the next event, whose ID commits to it, is also given.
  ///
  /// - Parameter continuation: The continuation of the batch before.
  /// - Returns: The number of new events, and the events known only by ID whose next event has not
  ///   been given yet.
  package func add(
    _ events: [StoredEvent], _ continuation: inout ImportContinuation
  ) async throws -> (added: Int, awaitingSuccessor: [StoredEvent]) {
    let before = continuation
    let (outcome, after) = try await StoreError.translating {
      try await self.sweepingAddedEvents {
        var continuation = before
        let outcome = try await EventImport.append(
          events, to: self.log, wallClock: self.options.clock(), erasures: self.keptErasures,
          &continuation)
        return (outcome, continuation)
      }
    }
    continuation = after
    return (outcome.added, outcome.awaitingSuccessor)
  }
}
