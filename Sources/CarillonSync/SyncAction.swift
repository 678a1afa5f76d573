package import CarillonModel
package import CarillonWire

/// What a session asks its driver to do.
///
/// A list of actions holds at most one of `identify`, `append`, `read`, `collect`, `findWanted` and
/// `digestState`, as its last action. The result of that action is the session's next input.
package enum SyncAction: Sendable {
  /// Send the message to the peer.
  case send([UInt8])
  /// Look up the IDs at places of the log; answered by `identified`.
  case identify([Place])
  /// Append runs in one transaction; answered by `appended`.
  case append([EventRun])
  /// Read ranges in order, up to the byte budget; answered by `read`.
  case read([BranchRange], byteBudget: Int)
  /// Collect the identifiers that make the dictionary at each place; answered by `collected`.
  case collect([Place])
  /// Find the events that this log wants for repair; answered by `wanted`.
  ///
  /// With `audit`, recomputes all IDs to find damaged events as well; with `redacted`, includes all
  /// redacted events.
  case findWanted(audit: Bool, redacted: Bool)
  /// Digest the merged state; answered by `digested`.
  case digestState
  /// The session is over.
  case finished(SyncReport)

  /// Whether the log must be read or written.
  package var usesLog: Bool {
    switch self {
    case .send, .finished, .digestState: false
    case .findWanted(let audit, let redacted): audit || redacted
    case .identify, .append, .read, .collect: true
    }
  }
}

/// The start of a session, a message, or the result of an action.
package enum SyncInput: Sendable {
  /// Start the session; for an initiator.
  case start
  /// A message arrived.
  case message([UInt8])
  /// No message arrived within the transport's waiting time.
  case quiet
  /// The ID at each place, nil if the log has none.
  case identified([EventID?])
  /// The outcome for each run, and the log afterwards.
  case appended([AppendOutcome], LogSnapshot)
  /// The events that were read: at most one run per range, the last of them possibly cut.
  ///
  /// A run without events means that nothing of its range can be sent.
  case read([OutgoingRun])
  /// The event at each place and its dictionary, nil if the log has none.
  case collected([CollectedIdentifiers?])
  /// The events wanted for repair, always in the same order.
  case wanted([WantedEvent])
  /// The digest of the merged state; nil if it is not known.
  case digested(StateDigest?)
}

/// The state machine of one side of a sync: it takes inputs and returns actions.
///
/// It performs no I/O and reads no clock.
package protocol SyncSession: Sendable {
  /// Handles an input and returns the actions to perform.
  ///
  /// - Throws: `SyncError` if the session cannot continue.
  mutating func handle(_ input: SyncInput) throws(SyncError) -> [SyncAction]
}

/// A place on a branch of this log.
package struct Place: Hashable, Sendable {
  package let branch: BranchIndex
  package let sequence: UInt64

  package init(branch: BranchIndex, sequence: UInt64) {
    self.branch = branch
    self.sequence = sequence
  }
}

/// A range of events of a branch to send.
package struct BranchRange: Hashable, Sendable {
  package let branch: BranchIndex
  package let sequences: ClosedRange<UInt64>
  /// How the run names its replica.
  package let reference: ReplicaReference
  /// Whether the range is one event that the peer wants for repair, sent as it is held.
  ///
  /// Otherwise the range is new events, and damaged ones are sent as their IDs alone.
  package let isWanted: Bool

  package init(
    branch: BranchIndex, sequences: ClosedRange<UInt64>, reference: ReplicaReference,
    isWanted: Bool = false
  ) {
    self.branch = branch
    self.sequences = sequences
    self.reference = reference
    self.isWanted = isWanted
  }
}

/// The identifiers in the payloads of an event and of those before it on its line.
package struct CollectedIdentifiers: Sendable {
  /// The ID of the event.
  package let end: EventID
  package let table: IdentifierTable

  package init(end: EventID, table: IdentifierTable) {
    self.end = end
    self.table = table
  }
}

/// The state of a log that a session needs.
package struct LogSnapshot: Sendable {
  package let branches: [Branch]
  package let identity: ReplicaIdentity

  package init(branches: [Branch], identity: ReplicaIdentity) {
    self.branches = branches
    self.identity = identity
  }
}

extension ReplicaIdentity {
  /// The ReplicaID, if it was taken after `first`; otherwise nil.
  func taken(since first: ReplicaID) -> ReplicaID? { replica == first ? nil : replica }
}

/// A run to send, which can still be cut short.
package struct OutgoingRun: Sendable {
  package let branch: BranchIndex
  package private(set) var run: SyncRun
  /// The last 8 bytes of each event's ID.
  private var suffixes: [UInt64] = []
  private var last: Timestamp?

  /// Creates a run without events.
  ///
  /// - Parameter previous: The ID before the first event, or nil at sequence 1.
  package init(
    branch: BranchIndex, reference: ReplicaReference, firstSequence: UInt64, previous: EventID?
  ) {
    self.branch = branch
    run = SyncRun(
      replica: reference, firstSequence: firstSequence, previousSuffix: previous?.suffix ?? 0)
    last = previous?.timestamp
  }

  /// Appends the next event.
  package mutating func append(
    id: EventID, payload: UnsafeRawBufferPointer, redacted: RedactedContent? = nil
  ) {
    let milliseconds = id.timestamp.rawValue >> 16
    run.milliseconds.append(milliseconds &- (last?.rawValue ?? 0) >> 16)
    run.counters.append(UInt32(id.timestamp.rawValue & 0xFFFF))
    run.lengths.append(UInt32(payload.count))
    run.payloads.append(contentsOf: payload)
    if let redacted { run.redacted.append(redacted) }
    run.lastSuffix = id.suffix
    suffixes.append(id.suffix)
    last = id.timestamp
  }

  /// Appends the next event by its ID alone.
  package mutating func append(missing id: EventID) {
    run.missing.append(SyncRun.Missing(place: run.count, id: id))
    append(id: id, payload: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// The run without trailing events that are IDs alone, because no later event confirms those IDs.
  package var vouched: OutgoingRun {
    var kept = run.count
    for missing in run.missing.reversed() where missing.place == kept - 1 { kept -= 1 }
    return prefix(count: kept)
  }

  /// Returns the run with as many events as fit into `byteBudget`; nil if none fits.
  package func prefix(byteBudget: Int) -> OutgoingRun? {
    var left = byteBudget - SyncRun.maxOverhead
    let kept = run.lengths.prefix { length in
      left -= SyncRun.maxBytes(ofPayload: Int(length))
      return left >= 0
    }.count
    let cut = prefix(count: kept).vouched
    return cut.run.count > 0 ? cut : nil
  }

  private func prefix(count kept: Int) -> OutgoingRun {
    guard kept < run.count else { return self }
    var cut = self
    let missing = run.missing.count { $0.place >= kept }
    cut.suffixes.removeLast(run.count - kept)
    cut.run.redacted.removeLast(run.lengths[kept...].count { $0 == 0 } - missing)
    cut.run.missing.removeLast(missing)
    cut.run.payloads.removeLast(run.lengths[kept...].reduce(0) { $0 + Int($1) })
    cut.run.milliseconds.removeLast(run.count - kept)
    cut.run.counters.removeLast(run.count - kept)
    cut.run.lengths.removeLast(run.count - kept)
    cut.run.lastSuffix = kept > 0 ? suffixes[kept - 1] : 0
    return cut
  }

  /// An upper bound of the bytes that the run takes in a message.
  package var maxBytes: Int {
    run.lengths.reduce(SyncRun.maxOverhead) { $0 + SyncRun.maxBytes(ofPayload: Int($1)) }
  }
}
