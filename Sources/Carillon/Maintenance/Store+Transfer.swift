public import CarillonModel
import CarillonSQLite
import CarillonWire

extension Store {
  /// Writes payloads as new events of this replica, all or none; no other event is added.
  ///
  /// - Throws: `invalidValue` naming field and limit, or what was erased.
  @discardableResult
  public func append(_ payloads: [Payload]) async throws -> Written {
    try await translatingErrors {
      guard !payloads.isEmpty else { return .nothing }
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
      guard
        case .recorded(let recorded) = try await self.log.record(
          events, wallClock: now, expecting: nil)
      else { return .nothing }
      if payloads.contains(where: { if case .dataErased = $0 { true } else { false } }) {
        _ = await self.sweepNow()
      }
      return self.written(recorded, payloads)
    }
  }

  /// Adds whole events of this store's replicas, as another replica exported them.
  ///
  /// They are checked and linked as in a sync: order is kept per branch, each ID is recomputed,
  /// a second history opens a branch. What was erased stays so: payloads of it are not kept.
  ///
  /// - Returns: How many were new.
  /// - Throws: `invalidValue` naming the index of the first event that does not follow what the log
  ///   holds, or does not give its ID: then none is kept. `invalidValue` without an index where
  ///   histories were left out beyond ``VersionVector/maxTakenHeads`` heads: then all others are.
  @discardableResult
  public func append(events: [Event]) async throws -> Int {
    var continuation = ImportContinuation()
    let added = try await add(events, &continuation).added
    if let problem = continuation.problem { throw problem }
    return added
  }

  /// The same, also with events of which only the ID is known: each is taken where the event behind
  /// it, which commits to its ID, is among those that are given.
  ///
  /// - Parameter continuation: What the batch before left.
  /// - Returns: How many were new, and those with an ID alone that wait for the event behind them.
  package func add(
    _ events: [Event], _ continuation: inout ImportContinuation
  ) async throws -> (added: Int, unvouched: [Event]) {
    let before = continuation
    let (outcome, after) = try await translatingErrors {
      try await self.sweepingWhatComes {
        var continuation = before
        let outcome = try await EventImport.append(
          events, to: self.log, wallClock: self.options.clock(), erasures: self.tables,
          &continuation)
        return (outcome, continuation)
      }
    }
    continuation = after
    return (outcome.added, outcome.unvouched)
  }
}
