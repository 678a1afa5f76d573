package import CarillonModel

/// One consistent state of a log, for look-ups.
///
/// A storage implements the requirements. Everything else is derived from them in the same way for
/// every log.
package protocol LogView {
  var state: LogState { get }

  /// Returns the position of a branch's own event according to the index.
  ///
  /// - Throws: `corrupt` if the index does not contain the event.
  func position(of branch: UInt32, at sequence: UInt64) throws -> UInt64

  /// Returns the header at a position that the log has.
  func header(at position: UInt64) throws -> EventHeader

  /// Returns the event at a position that the log has.
  func event(at position: UInt64) throws -> HeldEvent

  /// Returns the ID of a branch's own event.
  func id(of branch: UInt32, at sequence: UInt64) throws -> EventID

  /// Calls `body` with a branch's own events at the positions that the index gives, without
  /// checking them, until it returns false.
  ///
  /// - Returns: False if `body` returned false.
  func visitRows(
    of branch: UInt32, _ sequences: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool
}

/// A state of a log whose events can also be read in the order of their positions.
package protocol ScannableView: LogView {
  /// Calls `body` with the events in a range of positions, all of which the log must have, until it
  /// returns false.
  ///
  /// - Returns: False if `body` returned false.
  func visit(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool
}

extension LogView {
  /// Returns a branch's own event and its position.
  ///
  /// Event and index name each other's place. If they differ, the index is right if the event's
  /// content hashes to its ID there.
  ///
  /// - Throws: `corrupt` if nothing confirms the event.
  func event(of branch: UInt32, at sequence: UInt64) throws -> (position: UInt64, HeldEvent) {
    let position = try position(of: branch, at: sequence)
    let event = try event(at: position)
    return (position, try confirmed(event, of: branch, at: sequence, position))
  }

  /// Returns an event with the place that the index gives.
  package func confirmed(
    _ event: HeldEvent, of branch: UInt32, at sequence: UInt64, _ position: UInt64
  ) throws -> HeldEvent {
    guard !event.header.isAt(branch, sequence) else { return event }
    let placed = event.placed(branch, sequence)
    guard try isIntact(placed) else {
      throw LogError.corrupt("the event at position \(position) does not match its run")
    }
    return placed
  }

  package func id(of branch: UInt32, at sequence: UInt64) throws -> EventID {
    let position = try position(of: branch, at: sequence)
    let header = try header(at: position)
    guard !header.isAt(branch, sequence) else { return header.id }
    return try event(of: branch, at: sequence).1.id
  }

  /// Whether the content of an event hashes to its ID, at the place that it names.
  package func isIntact(_ event: HeldEvent) throws -> Bool {
    let (branch, sequence) = (event.header.branch, event.header.sequence)
    guard state.has(branch, sequence) else { return false }
    return try event.id(behind: previousID(on: branch, before: sequence)) == event.id
  }

  /// Returns the stored ID of the event before a place of a branch.
  package func previousID(on branch: UInt32, before sequence: UInt64) throws -> EventID {
    guard state.branches.indices.contains(Int(branch)) else {
      throw LogError.corrupt("an event names branch \(branch), which does not exist")
    }
    guard sequence > 1 else { return EventChain.root(of: state.branches[Int(branch)].replica) }
    guard let owner = state.owner(of: sequence - 1, on: Int(branch)) else {
      throw LogError.corrupt("branch \(branch) has no event with sequence \(sequence - 1)")
    }
    return try header(at: position(of: owner, at: sequence - 1)).id
  }

  /// Returns the place of an event, or nil if the log does not contain it.
  ///
  /// - Complexity: O(branches × log events).
  func find(_ id: EventID) throws -> (branch: UInt32, sequence: UInt64)? {
    for branch in state.branches where branch.headID.timestamp >= id.timestamp {
      let sequence = try branch.find(id) { try self.id(of: branch.index.rawValue, at: $0) }
      if let sequence { return (branch.index.rawValue, sequence) }
    }
    return nil
  }

  // MARK: Requirements of the port

  /// Returns the position of an event, or nil if the log does not hold it.
  package func position(of id: EventID) throws -> LogPosition? {
    guard let (branch, sequence) = try find(id) else { return nil }
    return LogPosition(rawValue: try position(of: branch, at: sequence))
  }

  /// Returns the position of the event at a place of a branch or of its parents; nil after its
  /// head.
  package func position(
    on branch: BranchIndex, at sequence: SequenceNumber
  ) throws -> LogPosition? {
    guard let owner = state.owner(of: sequence.rawValue, on: Int(branch.rawValue)) else {
      return nil
    }
    return LogPosition(rawValue: try event(of: owner, at: sequence.rawValue).position)
  }

  /// Returns the events whose content does not hash to their IDs, at most 1,000.
  package func damagedEvents() throws -> [DamagedEvent] {
    var scan = DamageScan(self)
    try scan.run()
    return scan.damaged
  }

  /// Calls `body` with the events in a range of sequences of a branch, all of which it must have,
  /// including the events of its parents, until it returns false.
  ///
  /// - Returns: False if `body` returned false.
  package func visit(
    _ sequences: ClosedRange<UInt64>, of branch: Int, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    var sequence = sequences.lowerBound
    while sequence <= sequences.upperBound {
      guard let owner = state.owner(of: sequence, on: branch) else {
        throw LogError.corrupt("branch \(branch) has no event with sequence \(sequence)")
      }
      let end = min(sequences.upperBound, state.lastSequence(of: owner, on: branch))
      let goesOn = try visitRows(of: owner, sequence...end) { row in
        defer { sequence += 1 }
        let isPlaced = row.branch.rawValue == owner && row.sequence.rawValue == sequence
        return try body(isPlaced ? row : confirmed(row, of: owner, at: sequence))
      }
      guard goesOn else { return false }
    }
    return true
  }

  // MARK: -

  private func confirmed(
    _ row: RawEvent, of branch: UInt32, at sequence: UInt64
  ) throws -> RawEvent {
    let event = HeldEvent(header: row.header, content: StoredContent(of: row))
    _ = try confirmed(event, of: branch, at: sequence, row.position.rawValue)
    return placed(row, branch, sequence)
  }

  /// Returns an event with another place than its own.
  func placed(_ row: RawEvent, _ branch: UInt32, _ sequence: UInt64) -> RawEvent {
    RawEvent(
      position: row.position, branch: BranchIndex(rawValue: branch),
      replica: state.branches[Int(branch)].replica, sequence: SequenceNumber(rawValue: sequence),
      id: row.id, payload: row.payload, redacted: row.redacted)
  }
}

extension RawEvent {
  /// The event's own place and ID.
  var header: EventHeader {
    EventHeader(branch: branch.rawValue, sequence: sequence.rawValue, id: id)
  }
}

extension Branch {
  /// Returns the sequence of one of the branch's own events, or nil if there is none with this ID.
  ///
  /// Timestamps increase along a branch, so a binary search finds the event.
  func find(_ id: EventID, idAt: (UInt64) throws -> EventID) rethrows -> UInt64? {
    if headID == id { return headSequence.rawValue }
    var low = firstSequence.rawValue
    var high = headSequence.rawValue
    while low < high {
      let middle = low + (high - low) / 2
      let found = try idAt(middle)
      if found == id { return middle }
      if found.timestamp < id.timestamp {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return nil
  }

  /// Whether an event at a sequence is one of the branch's own.
  package func has(_ sequence: UInt64) -> Bool {
    (firstSequence.rawValue...headSequence.rawValue).contains(sequence)
  }
}
