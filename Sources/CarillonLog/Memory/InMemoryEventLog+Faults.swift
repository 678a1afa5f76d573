package import CarillonModel
internal import Synchronization

/// Faults for tests: restored backups, damage, and disks that refuse writes.
extension InMemoryEventLog {
  /// The contents of a log at one moment.
  package struct Contents: Sendable {
    let contents: MemoryContents
    /// The own events of each branch, in order.
    package let events: [[StoredEvent]]
    /// The branch of each event and its place on that branch, by position.
    package let order: [(branch: Int, index: Int)]

    /// The branches, by index.
    package var branches: [Branch] { contents.state.branches }
    /// The identity used for new events.
    package var identity: ReplicaIdentity { contents.state.identity }

    init(_ contents: MemoryContents) {
      var events: [[StoredEvent]] = contents.state.branches.map { _ in [] }
      order = (0..<contents.events.count).map { index in
        let held = contents.events[index]
        let branch = Int(held.header.branch)
        events[branch].append(StoredEvent(held, of: contents.state.branches[branch].replica))
        return (branch, events[branch].count - 1)
      }
      self.contents = contents
      self.events = events
    }
  }

  /// The current contents of the log, for ``restore(_:)``.
  package var saved: Contents { Contents(backend.committed) }

  /// Returns the position of an event, given its branch and its place on that branch.
  package func position(_ branch: Int, _ index: Int) -> LogPosition {
    backend.committed.position(branch, index)
  }

  /// Replaces the contents, like a restored backup that goes unnoticed.
  package func restore(_ backup: Contents) {
    whileNobodyWrites { backend.committed = backup.contents }
  }

  /// Removes all events after a position, like a restored backup that goes unnoticed.
  package func rollBack(to position: LogPosition) {
    keep { kept, _ in kept <= position }
  }

  /// Removes the events for which a condition is false; no other event may follow a removed one.
  package func keep(where isKept: (LogPosition, BranchIndex) -> Bool) {
    whileNobodyWrites {
      let old = backend.committed
      var new = MemoryContents(old.state.withoutEvents)
      for index in 0..<old.events.count {
        let event = old.events[index]
        let branch = BranchIndex(rawValue: event.header.branch)
        guard isKept(LogPosition(rawValue: UInt64(index) + 1), branch) else { continue }
        new.insert(event, parent: old.state.branches[Int(event.header.branch)])
      }
      backend.committed = new
    }
  }

  /// Sets the replica ID for all further events.
  package func rename(to replica: ReplicaID) {
    whileNobodyWrites { backend.committed.state.rename(to: replica) }
  }

  /// Lets every write fail with an error from now on; nil ends this.
  package func fail(with error: LogError?) {
    backend.failure.withLock { $0 = error }
  }

  /// Records new events, and blocks the calling thread until they are written.
  package func recordBlocking(_ events: [NewEvent], wallClock: Instant) throws {
    try writeNow(.record(RecordRequest(events: events, wallClock: wallClock, head: nil), nil))
  }

  /// Changes a byte of the head ID in a branch's row, after the ID's timestamp.
  package func damageHead(_ branch: Int, byte: Int) {
    whileNobodyWrites {
      let id = backend.committed.state.branches[branch].headID
      backend.committed.state.branches[branch].headID = id.damaged(byte)
    }
  }

  /// Changes a byte of the payload at a position, as a bad disk does.
  package func damage(_ position: LogPosition) throws {
    change(position) { header, content in
      guard case .payload(var bytes) = content, !bytes.isEmpty else {
        preconditionFailure("there is a payload to damage")
      }
      bytes[bytes.count / 2] ^= 0x20
      return (header, .payload(bytes))
    }
  }

  /// Changes a byte of the ID at a position, after the ID's timestamp.
  package func damageID(_ position: LogPosition, byte: Int) {
    change(position) { header, content in
      let id = header.id.damaged(byte)
      return (EventHeader(branch: header.branch, sequence: header.sequence, id: id), content)
    }
  }

  /// Changes the stored sequence of the event at a position.
  package func damageSequence(_ position: LogPosition, to sequence: UInt64) {
    change(position) { header, content in
      (EventHeader(branch: header.branch, sequence: sequence, id: header.id), content)
    }
  }

  /// Replaces the content of the event at a position.
  package func replaceContent(_ position: LogPosition, by content: StoredContent) {
    change(position) { header, _ in (header, content) }
  }

  private func change(
    _ position: LogPosition,
    _ body: (EventHeader, StoredContent) -> (EventHeader, StoredContent)
  ) {
    whileNobodyWrites {
      var contents = backend.committed
      let event = contents.events[Int(position.rawValue) - 1]
      let (header, content) = body(event.header, event.content)
      contents.replace(at: position.rawValue, by: HeldEvent(header: header, content: content))
      contents.state.commit += 1
      contents.state.forks = [:]
      backend.committed = contents
    }
  }
}

extension MemoryContents {
  /// Appends an event of another log.
  ///
  /// - Parameter branch: The event's branch in the other log.
  fileprivate mutating func insert(_ event: HeldEvent, parent branch: Branch) {
    let index = Int(event.header.branch)
    let target: LogState.Target =
      index < state.branches.count ? .branch(index) : .new(branch.replica, parent: branch.parent)
    let place = LogState.Place(
      branch: event.header.branch, sequence: event.header.sequence,
      position: state.lastPosition + 1)
    put([event.content], ids: [event.id], at: place)
    state.advance(place, ids: [event.id], on: target)
    for closing in branch.closings where closing.sequence.rawValue == event.header.sequence {
      let position = LogPosition(rawValue: place.position)
      state.note(
        Branch.Closing(position: position, sequence: closing.sequence, closed: closing.closed),
        on: index)
    }
  }
}

extension StoredEvent {
  fileprivate init(_ held: HeldEvent, of replica: ReplicaID) {
    let sequence = SequenceNumber(rawValue: held.header.sequence)
    switch held.content {
    case .payload(let payload):
      self.init(id: held.id, replica: replica, sequence: sequence, payload: payload)
    case .redacted(let redacted):
      self.init(id: held.id, replica: replica, sequence: sequence, redacted: redacted)
    case .missing:
      self.init(id: held.id, replica: replica, sequence: sequence, payload: [])
    }
  }
}

extension EventID {
  fileprivate func damaged(_ byte: Int) -> EventID {
    var bytes = bytes
    bytes[byte] ^= 0x20
    return bytes.withUnsafeBytes { EventID(loading: $0) }
  }
}
