package import CarillonModel
package import CarillonWire

/// What a session wants done.
///
/// Of `identify`, `append`, `read` and `findWanted` at most one stands in a list of actions, at its
/// end; its result is the session's next input.
package enum SyncAction: Sendable {
  /// Put the message on the link.
  case send([UInt8])
  /// Look up the IDs at places of the log; answered by `identified`.
  case identify([Place])
  /// Append runs in one transaction; answered by `appended`.
  case append([EventRun])
  /// Read stretches in order, as far as the bytes go; answered by `read`.
  case read([Stretch], byteBudget: Int)
  /// Find what the other side should give once more, and with `audit` also what is damaged, for
  /// which all IDs are computed anew; answered by `wanted`.
  case findWanted(audit: Bool)
  /// The session is over.
  case finished(SyncReport)
}

/// What happened to a session.
package enum SyncInput: Sendable {
  /// A leader begins.
  case start
  /// A message came.
  case message([UInt8])
  /// Nothing came for as long as the link waits.
  case quiet
  /// One ID for each place, nil where the log has none.
  case identified([EventID?])
  /// What became of the runs, and the log after it.
  case appended([AppendOutcome], LogSnapshot)
  /// What was read: at most one run for each stretch, the last of them perhaps cut.
  case read([OutgoingRun])
  /// What is wanted once more, in an order that stays.
  case wanted([WantedEvent])
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
package struct Stretch: Hashable, Sendable {
  package let branch: BranchIndex
  package let sequences: ClosedRange<UInt64>
  /// How the run names its replica.
  package let reference: ReplicaReference

  package init(branch: BranchIndex, sequences: ClosedRange<UInt64>, reference: ReplicaReference) {
    self.branch = branch
    self.sequences = sequences
    self.reference = reference
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

/// A run to be sent, with what is needed to cut it short.
package struct OutgoingRun: Sendable {
  package let branch: BranchIndex
  package private(set) var run: SyncRun
  /// The last 8 bytes of each event's ID.
  private var tails: [UInt64] = []
  private var last: Timestamp?

  /// A run without events.
  ///
  /// - Parameter previous: The ID before the first, or nil at sequence 1.
  package init(
    branch: BranchIndex, reference: ReplicaReference, firstSequence: UInt64, previous: EventID?
  ) {
    self.branch = branch
    run = SyncRun(
      replica: reference, firstSequence: firstSequence, previousTail: previous?.tail ?? 0)
    last = previous?.timestamp
  }

  /// Adds the next event.
  package mutating func append(
    id: EventID, payload: UnsafeRawBufferPointer, bare: BareContent? = nil
  ) {
    let milliseconds = id.timestamp.rawValue >> 16
    run.milliseconds.append(milliseconds &- (last?.rawValue ?? 0) >> 16)
    run.counters.append(UInt32(id.timestamp.rawValue & 0xFFFF))
    run.lengths.append(UInt32(payload.count))
    run.payloads.append(contentsOf: payload)
    if let bare { run.bare.append(bare) }
    run.lastTail = id.tail
    tails.append(id.tail)
    last = id.timestamp
  }

  /// The run up to as many events as fit into bytes; nil where none does.
  package func prefix(byteBudget: Int) -> OutgoingRun? {
    var left = byteBudget - SyncRun.maxOverhead
    let kept = run.lengths.prefix { length in
      left -= SyncRun.maxBytes(ofPayload: Int(length))
      return left >= 0
    }.count
    guard kept > 0 else { return nil }
    guard kept < run.count else { return self }
    var cut = self
    cut.tails.removeLast(run.count - kept)
    cut.run.bare.removeLast(run.lengths[kept...].count { $0 == 0 })
    cut.run.payloads.removeLast(run.lengths[kept...].reduce(0) { $0 + Int($1) })
    cut.run.milliseconds.removeLast(run.count - kept)
    cut.run.counters.removeLast(run.count - kept)
    cut.run.lengths.removeLast(run.count - kept)
    cut.run.lastTail = tails[kept - 1]
    return cut
  }

  /// At most how many bytes the run takes in a message.
  package var maxBytes: Int {
    run.lengths.reduce(SyncRun.maxOverhead) { $0 + SyncRun.maxBytes(ofPayload: Int($1)) }
  }
}
