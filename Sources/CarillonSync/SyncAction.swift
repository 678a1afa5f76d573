package import CarillonModel
package import CarillonWire

/// What a session wants done.
///
/// Of `identify`, `append`, `read`, `findWanted` and `digestState` at most one stands in a list of
/// actions, at its end; its result is the session's next input.
package enum SyncAction: Sendable {
  /// Put the message on the link.
  case send([UInt8])
  /// Look up the IDs at places of the log; answered by `identified`.
  case identify([Place])
  /// Append runs in one transaction; answered by `appended`.
  case append([EventRun])
  /// Read ranges in order, as far as the bytes go; answered by `read`.
  case read([BranchRange], byteBudget: Int)
  /// Find what the other side should give once more; with `audit` also what is damaged, for which
  /// all IDs are computed anew; with `redacted` all redacted events too. Answered by `wanted`.
  case findWanted(audit: Bool, redacted: Bool)
  /// Digest the merged state; answered by `digested`.
  case digestState
  /// The session is over.
  case finished(SyncReport)
}

/// What happened to a session.
package enum SyncInput: Sendable {
  /// An initiator begins.
  case start
  /// A message came.
  case message([UInt8])
  /// Nothing came for as long as the link waits.
  case quiet
  /// One ID for each place, nil where the log has none.
  case identified([EventID?])
  /// What became of the runs, and the log after it.
  case appended([AppendOutcome], LogSnapshot)
  /// What was read: at most one run for each range, the last of them perhaps cut; one without
  /// events for a range of which nothing can be given.
  case read([OutgoingRun])
  /// What is wanted once more, in an order that stays.
  case wanted([WantedEvent])
  /// The digest of the merged state; nil where nobody knows it.
  case digested(StateDigest?)
}

/// A state machine of one side: inputs in, actions out.
///
/// No I/O, no clock.
package protocol SyncSession: Sendable {
  /// Takes an input.
  ///
  /// - Throws: `SyncError` where the session cannot go on.
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

/// Events of a branch to be sent.
package struct BranchRange: Hashable, Sendable {
  package let branch: BranchIndex
  package let sequences: ClosedRange<UInt64>
  /// How the run names its replica.
  package let reference: ReplicaReference
  /// Whether it is one event that the other side wants once more, to be given as it lies here; else
  /// it is news, of which damaged events are given as their IDs alone.
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

/// What a session needs to know of its log.
package struct LogSnapshot: Sendable {
  package let branches: [Branch]
  package let identity: ReplicaIdentity

  package init(branches: [Branch], identity: ReplicaIdentity) {
    self.branches = branches
    self.identity = identity
  }
}

extension ReplicaIdentity {
  /// The ReplicaID, where it was taken since an earlier one was in use.
  func taken(since first: ReplicaID) -> ReplicaID? { replica == first ? nil : replica }
}

/// A run to be sent, with what is needed to cut it short.
package struct OutgoingRun: Sendable {
  package let branch: BranchIndex
  package private(set) var run: SyncRun
  /// The last 8 bytes of each event's ID.
  private var suffixes: [UInt64] = []
  private var last: Timestamp?

  /// A run without events.
  ///
  /// - Parameter previous: The ID before the first, or nil at sequence 1.
  package init(
    branch: BranchIndex, reference: ReplicaReference, firstSequence: UInt64, previous: EventID?
  ) {
    self.branch = branch
    run = SyncRun(
      replica: reference, firstSequence: firstSequence, previousSuffix: previous?.suffix ?? 0)
    last = previous?.timestamp
  }

  /// Adds the next event.
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

  /// Adds the next event by its ID alone.
  package mutating func append(missing id: EventID) {
    run.missing.append(SyncRun.Missing(place: run.count, id: id))
    append(id: id, payload: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// The run without the events at its end of which there is only the ID: nothing vouches for them.
  package var vouched: OutgoingRun {
    var kept = run.count
    for missing in run.missing.reversed() where missing.place == kept - 1 { kept -= 1 }
    return prefix(count: kept)
  }

  /// The run up to as many events as fit into bytes; nil where none does.
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

  /// At most how many bytes the run takes in a message.
  package var maxBytes: Int {
    run.lengths.reduce(SyncRun.maxOverhead) { $0 + SyncRun.maxBytes(ofPayload: Int($1)) }
  }
}
