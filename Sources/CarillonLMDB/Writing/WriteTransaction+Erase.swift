internal import CLMDB
internal import CarillonModel

/// The only writing that changes events which lie in the log: payloads are taken away here, and put
/// back where events are repaired. Places stay.
extension WriteTransaction {
  /// Takes payloads away; gives how many were there.
  ///
  /// What is damaged stays as it is, and so does what a damaged event erases: nobody knows what was
  /// covered. Once it is repaired it is erased as any other.
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

  /// Whether the content of an event that lay in the log before hashes to its ID, at the place that
  /// it names.
  func isIntact(_ record: EventRecord) throws -> Bool {
    let branches = base.state.branches
    guard branches.indices.contains(Int(record.branch)),
      branches[Int(record.branch)].has(record.sequence)
    else { return false }
    return try record.id(behind: previousID(on: record.branch, before: record.sequence))
      == record.id
  }

  /// The ID before a place of a branch, as this transaction has left it.
  func previousID(on branch: UInt32, before sequence: UInt64) throws -> EventID {
    guard !replaced.isEmpty, sequence > 1, let owner = base.owner(of: sequence - 1, on: Int(branch))
    else { return try base.previousID(on: branch, before: sequence) }
    return try event(of: owner, at: sequence - 1).record.id
  }

  /// An event that lay in the log before, where its run says, as this transaction has left it.
  func event(
    of branch: UInt32, at sequence: UInt64
  ) throws -> (position: UInt64, record: EventRecord) {
    let position = try base.position(of: branch, at: sequence)
    return (position, try event(at: position))
  }

  /// An event that lay in the log before, as this transaction has left it.
  func event(at position: UInt64) throws -> EventRecord {
    lookUpCount += 1
    guard replaced.contains(position) else { return try base.event(at: position) }
    return try EventRecord(value(ofEventAt: position), at: position)
  }

  /// Gives an event that lay in the log before other content, and perhaps another ID.
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
      // LMDB walks to where the event stands and trusts what it meets there.
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
  /// The ID to which the event comes behind another; at the time that its own ID says, if no other
  /// is given.
  func id(behind previous: EventID, at timestamp: Timestamp? = nil) -> EventID {
    EventChain.id(
      sequence: SequenceNumber(rawValue: sequence), timestamp: timestamp ?? id.timestamp,
      previous: previous, payload: digest)
  }

  var digest: PayloadDigest { redacted?.digest ?? PayloadDigest(bufferPointer: payload) }
}
