internal import CLMDB
internal import CarillonModel

/// The only operations that change stored events: erasing payloads, and restoring them in a repair.
/// The places of events do not change.
extension WriteTransaction {
  /// Erases payloads, and returns the number of payloads that were erased.
  ///
  /// A damaged event is left unchanged, and so is an event whose erasing event is damaged, because
  /// it is unknown what that one covered. Once repaired, it is erased like any other.
  func erase(_ erased: [ErasedPayload]) throws -> Int {
    var count = 0
    var erasures: [EventID: Bool] = [:]
    for payload in erased {
      let record = try event(at: payload.position.rawValue)
      guard record.redacted == nil, try isIntact(record) else { continue }
      let mayErase = try erasures[payload.erasure] ?? mayErase(payload.erasure)
      erasures[payload.erasure] = mayErase
      guard mayErase else { continue }
      let redacted = RedactedContent(
        digest: PayloadDigest(bufferPointer: record.payload), erasure: payload.erasure)
      try replace(record, at: payload.position.rawValue, by: .redacted(redacted))
      count += 1
    }
    return count
  }

  private func mayErase(_ erasure: EventID) throws -> Bool {
    guard let place = try base.find(erasure) else { return true }
    return try isIntact(event(of: place.branch, at: place.sequence).record)
  }

  /// Whether the content of an event that was in the log before this transaction hashes to its ID,
  /// at the place that it names.
  func isIntact(_ record: EventRecord) throws -> Bool {
    let branches = base.state.branches
    guard branches.indices.contains(Int(record.branch)),
      branches[Int(record.branch)].has(record.sequence)
    else { return false }
    return try record.id(behind: previousID(on: record.branch, before: record.sequence))
      == record.id
  }

  /// Returns the ID before a place of a branch, including this transaction's changes.
  func previousID(on branch: UInt32, before sequence: UInt64) throws -> EventID {
    guard !replaced.isEmpty, sequence > 1, let owner = base.owner(of: sequence - 1, on: Int(branch))
    else { return try base.previousID(on: branch, before: sequence) }
    return try event(of: owner, at: sequence - 1).record.id
  }

  /// Returns an event that was in the log before, at the position that its run gives, including
  /// this transaction's changes.
  func event(
    of branch: UInt32, at sequence: UInt64
  ) throws -> (position: UInt64, record: EventRecord) {
    let position = try base.position(of: branch, at: sequence)
    return (position, try event(at: position))
  }

  /// Returns an event that was in the log before, including this transaction's changes.
  func event(at position: UInt64) throws -> EventRecord {
    lookUpCount += 1
    guard replaced.contains(position) else { return try base.event(at: position) }
    return try EventRecord(value(ofEventAt: position), at: position)
  }

  /// Replaces the content, and optionally the ID, of an event that was in the log before.
  func replace(
    _ record: EventRecord, at position: UInt64, by content: EventContent, id: EventID? = nil
  ) throws {
    var value = [UInt8](
      repeating: 0, count: LogFormat.eventHeaderByteCount + content.byteCount)
    value.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      EventRecord.storeHeader(
        branch: record.branch | content.branchMark, sequence: record.sequence,
        id: id ?? record.id, to: start)
      content.store(to: start + LogFormat.eventHeaderByteCount)
    }
    try requireOwnPages(ofEventAt: position)
    replaced.insert(position)
    try withUnsafeBytes(of: position.bigEndian) { key in
      // LMDB follows the path to the event and trusts the pages that it meets.
      try base.events.checkPath(to: key)
      try value.withUnsafeBytes { try put(key, $0, in: .events) }
    }
    let isNoted = state.branches[Int(record.branch)].closings.contains {
      $0.sequence.rawValue == record.sequence
    }
    if !isNoted, let closed = content.closing, try places(of: closed) != nil {
      try note(closed, at: position, on: record.branch, sequence: record.sequence)
    }
  }
}

extension EventRecord {
  /// Returns the ID that the event's content hashes to after another event.
  ///
  /// Without a timestamp, that of the event's own ID is used.
  func id(behind previous: EventID, at timestamp: Timestamp? = nil) -> EventID {
    EventChain.id(
      sequence: SequenceNumber(rawValue: sequence), timestamp: timestamp ?? id.timestamp,
      previous: previous, payload: digest)
  }

  var digest: PayloadDigest { redacted?.digest ?? PayloadDigest(bufferPointer: payload) }
}
