package import CarillonModel

/// One call that waits for the writer: its request, and the callback for its outcome.
struct WriteJob: Sendable {
  var request: WriteRequest
  /// What the caller's handle adds to the events.
  let rules: WriteRules
  /// Called exactly once, after the commit or the refusal.
  let finish: @Sendable (Result<WriteOutcome, any Error>) -> Void

  /// The number of events that the call brings; 1 if that is known only in the transaction.
  var eventCount: Int {
    switch request {
    case .record(let record, _): record.events.count
    case .append(let runs, _, _): runs.reduce(0) { $0 + $1.ids.count }
    case .erase(let erased): erased.count
    case .decide, .moveGeneration, .rebuildIndex, .claim, .eraseListed, .search: 1
    }
  }

  /// The new events, if their IDs can be computed before the transaction that writes them.
  ///
  /// Sealed payloads exist only in that transaction.
  var predictable: RecordRequest? {
    guard case .record(let record, _) = request, rules.sealer == nil else { return nil }
    return record
  }

  /// Whether the transaction determines which events the call brings.
  var decides: Bool {
    if case .decide = request { true } else { false }
  }
}

/// A request to the writer.
package enum WriteRequest: Sendable {
  /// New events, with IDs that were prepared in advance if that was possible.
  case record(RecordRequest, PreparedIDs?)
  /// New events that are determined in the transaction, and noted before the commit.
  case decide(
    wallClock: Instant, @Sendable () throws -> [NewEvent],
    noting: @Sendable (Recorded) throws -> Void)
  case append([VerifiedRun], wallClock: Instant, (any HeldErasures)?)
  case erase([ErasedPayload])
  /// Erases the payloads that noted lists name.
  case eraseListed
  /// Erases the payloads that a search for erased ones found.
  case search(ErasureSearchStep)
  case moveGeneration(from: UInt64, to: UInt64)
  /// Writes the data next to the events again.
  case rebuildIndex
  /// No events: the transaction only takes a new identity if the directory is a copy.
  case claim
}

/// A request to write new events.
package struct RecordRequest: Sendable {
  let events: [NewEvent]
  let wallClock: Instant
  /// The last position when the caller decided on the events; nil if it does not matter.
  let head: UInt64?
}

/// The outcome of a request.
package enum WriteOutcome: Sendable {
  case recorded(WrittenIDs)
  case headMoved(LogPosition)
  case nothingDecided
  /// The outcome for each run, the log as it is after the call, and whether payloads may have to be
  /// erased.
  case appended([AppendOutcome], LogEnds, isErasureDue: Bool)
  case erased(Int)
  case moved(Bool)
}

extension WriteRules {
  fileprivate func areErasuresDue(in state: LogState) -> Bool {
    obeysErasureLists && !state.erasureLists.isEmpty
      || readPayload != nil && state.erasureSearch?.isDone != true
  }
}

extension WriteRequest {
  /// Performs the request.
  ///
  /// May be called again in another transaction if the group of calls is repeated.
  ///
  /// - Returns: The outcome, and whether the prepared IDs could be used.
  func perform(
    in transaction: some LogTransaction, policy: IdentityPolicy
  ) throws -> (outcome: WriteOutcome, wasPredicted: Bool) {
    switch self {
    case .record(let record, let prepared):
      let position = transaction.state.lastPosition
      guard record.head ?? position == position else {
        return (.headMoved(LogPosition(rawValue: position)), false)
      }
      let (written, wasPredicted) = try transaction.record(
        record.events, wallClock: record.wallClock, prepared: prepared, policy: policy)
      return (.recorded(written), wasPredicted)
    case .decide(let wallClock, let decide, let note):
      let events = try decide()
      guard !events.isEmpty else { return (.nothingDecided, true) }
      for event in events { try event.checkSize() }
      let (written, _) = try transaction.record(
        events, wallClock: wallClock, prepared: nil, policy: policy)
      try note(written.recorded)
      return (.recorded(written), true)
    case .append(let runs, let wallClock, let erasures):
      let outcomes = try transaction.append(
        runs, wallClock: wallClock, erasures: erasures, policy: policy)
      let state = transaction.state
      return (
        .appended(outcomes, state.ends, isErasureDue: policy.rules.areErasuresDue(in: state)), true
      )
    case .erase(let erased):
      return (.erased(try transaction.erase(erased)), true)
    case .eraseListed:
      return (.erased(try transaction.eraseListed()), true)
    case .search(let step):
      return (.erased(try transaction.perform(step)), true)
    case .moveGeneration(let current, let next):
      guard transaction.state.generation == current else { return (.moved(false), true) }
      try transaction.setGeneration(next)
      return (.moved(true), true)
    case .rebuildIndex:
      try transaction.rebuildIndex()
      return (.nothingDecided, true)
    case .claim:
      return (.nothingDecided, true)
    }
  }
}
