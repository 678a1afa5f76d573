package import CarillonModel

/// The events that a call wrote: consecutive positions and sequences, and their IDs.
package struct WrittenIDs: Sendable {
  let replica: ReplicaID
  let firstPosition: UInt64
  let firstSequence: UInt64
  let ids: [EventID]

  /// The result in the port's form.
  package var recorded: Recorded {
    let events = ids.enumerated().map { index, id in
      RecordedEvent(
        position: LogPosition(rawValue: firstPosition + UInt64(index)),
        sequence: SequenceNumber(rawValue: firstSequence + UInt64(index)), id: id)
    }
    return Recorded(replica: replica, events: events)
  }
}

/// The parameters of a change of identity.
package struct IdentityPolicy: Sendable {
  let rules: WriteRules
  let makeReplicaID: @Sendable () -> ReplicaID
}

extension LogTransaction {
  /// Writes new events of this replica, after the identity announcement if one is due.
  ///
  /// - Parameter prepared: IDs that were prepared in advance; used if no other event was written
  ///   since.
  /// - Returns: The written events, and whether the prepared IDs were used.
  func record(
    _ events: [NewEvent], wallClock: Instant, prepared: PreparedIDs?, policy: IdentityPolicy
  ) throws -> (written: WrittenIDs, wasPredicted: Bool) {
    if state.mustLeaveBranch { try adopt(policy.makeReplicaID()) }
    try announce(wallClock: wallClock, policy: policy)
    let events = try sealed(events, wallClock: wallClock, policy: policy)
    var base = state.chainBase
    let wasPredicted = prepared?.base == base
    let ids =
      if let prepared, wasPredicted {
        prepared.ids
      } else {
        try base.extend(by: events, wallClock: wallClock)
      }
    return (try putOwn(events, ids: ids, wallClock: wallClock), wasPredicted)
  }

  /// Takes a new identity and writes its announcement.
  func changeIdentity(wallClock: Instant, policy: IdentityPolicy) throws {
    try adopt(policy.makeReplicaID())
    try announce(wallClock: wallClock, policy: policy)
  }

  /// Takes a new identity, which applies from the next own event on.
  package func adopt(_ replica: ReplicaID) throws {
    state.adopt(replica)
    try putMeta(.replica, state.replica.bytes)
    if let predecessor = state.predecessor { try putMeta(.predecessor, predecessor.bytes) }
  }

  /// Takes a new identity if the marker differs from the log's, as in a copied directory.
  ///
  /// - Returns: Whether it took a new identity.
  @discardableResult
  package func claim(_ marker: IdentityMarker, makeReplicaID: () -> ReplicaID) throws -> Bool {
    guard state.marker != marker else { return false }
    try adopt(makeReplicaID())
    state.marker = marker
    try putMeta(.marker, marker.bytes)
    return true
  }

  /// Records the generation of the projection that is in use.
  package func setGeneration(_ generation: UInt64) throws {
    state.generation = generation
    try putMeta(.generation, generation.bigEndianBytes)
  }

  // MARK: -

  private func announce(wallClock: Instant, policy: IdentityPolicy) throws {
    guard state.mustAnnounce else { return }
    let events = try policy.rules.announcement(state.identity)
    guard !events.isEmpty else { return }
    for event in events { try event.checkSize() }
    let sealed = try sealed(events, wallClock: wallClock, policy: policy)
    var base = state.chainBase
    let ids = try base.extend(by: sealed, wallClock: wallClock)
    _ = try putOwn(sealed, ids: ids, wallClock: wallClock)
  }

  /// Returns the events that follow the own history now, with sealed payloads if there is a sealer.
  private func sealed(
    _ events: [NewEvent], wallClock: Instant, policy: IdentityPolicy
  ) throws -> [NewEvent] {
    guard let sealer = policy.rules.sealer else { return events }
    let base = state.chainBase
    let timestamps = try base.timestamps(count: events.count, wallClock: wallClock)
    let payloads = zip(events, timestamps).map { event, timestamp in
      (event.payload(under: timestamp, wallClock: wallClock), timestamp)
    }
    let sealed = try sealer.seal(
      payloads, of: base.replica, from: SequenceNumber(rawValue: base.sequence + 1))
    return try sealed.map {
      let event = NewEvent(payload: $0)
      try event.checkSize()
      return event
    }
  }

  private func putOwn(
    _ events: [NewEvent], ids: [EventID], wallClock: Instant
  ) throws -> WrittenIDs {
    let target = state.ownBranch.map(LogState.Target.branch) ?? .new(state.replica, parent: nil)
    var closings: [(offset: UInt64, closed: BranchesClosed)] = []
    // A span reads its elements in place, and copies one only for a call that is not inlined.
    let events = events.span
    let contents = events.indices.map { index in
      let content = StoredContent.payload(
        events[index].payload(under: ids[index].timestamp, wallClock: wallClock))
      if let closed = content.closing { closings.append((UInt64(index), closed)) }
      return content
    }
    let first = try put(contents, ids: ids[...], on: target)
    for closing in closings {
      try note(
        closing.closed, at: first.position + closing.offset, on: first.branch,
        sequence: first.sequence + closing.offset)
    }
    return WrittenIDs(
      replica: state.replica, firstPosition: first.position, firstSequence: first.sequence,
      ids: ids)
  }
}

extension NewEvent {
  /// - Throws: `payloadTooLarge`, also if the payload is empty.
  @inline(__always)
  package func checkSize() throws(LogError) {
    let counts = byteCounts
    guard counts.lowerBound < 1 || counts.upperBound > StoredEvent.maxPayloadBytes else { return }
    throw Self.wrongSize(counts)
  }

  private static func wrongSize(_ counts: ClosedRange<Int>) -> LogError {
    LogError(
      code: .payloadTooLarge,
      message: "the payload has \(counts.lowerBound < 1 ? 0 : counts.upperBound) bytes, must be "
        + "1 to \(StoredEvent.maxPayloadBytes)")
  }
}
