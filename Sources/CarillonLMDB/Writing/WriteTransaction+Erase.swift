internal import CLMDB
internal import CarillonModel

/// The only writing that changes events which lie in the log: payloads are taken away, and put back
/// where they are missing or damaged. IDs and places stay.
extension WriteTransaction {
  /// Takes payloads away; gives how many were there.
  func erase(_ erased: [ErasedPayload]) throws -> Int {
    var count = 0
    for payload in erased {
      let record = try event(at: payload.position.rawValue)
      guard record.bare == nil else { continue }
      let bare = BareContent(
        digest: PayloadDigest(bufferPointer: record.payload), erasure: payload.erasure)
      try replace(record, at: payload.position.rawValue, by: .bare(bare))
      count += 1
    }
    return count
  }

  /// Makes the first events of a run, which are held, whole; gives how many were not.
  ///
  /// - Complexity: O(bytes of the events + events × log²).
  func heal(_ verified: VerifiedRun, held: Int) throws -> Int {
    var count = 0
    for index in 0..<held {
      let item = verified.run.items[index]
      guard let place = try base.find(verified.ids[index]) else { continue }
      let position = try base.position(of: place.branch, at: place.sequence)
      let record = try event(at: position)
      guard try isIncomplete(record, item) else { continue }
      try replace(record, at: position, by: item.content)
      count += 1
    }
    return count
  }

  /// Whether the item says more of an event than is held: its payload, where it was lost otherwise
  /// than by an erasure that is held, or the erasure that took it, where that one is held.
  private func isIncomplete(_ record: EventRecord, _ item: EventRun.Item) throws -> Bool {
    guard let bare = record.bare else {
      return item.erasure == nil && !record.payload.elementsEqual(item.payload)
    }
    guard try base.find(bare.erasure) == nil else { return false }
    return try item.erasure.map { try base.find($0) != nil } ?? true
  }

  /// Where a run seems to leave a branch only because the ID of the branch's next event is damaged,
  /// gives that event the run's ID and payload.
  ///
  /// - Returns: Whether it was so; then one event more of the run is held.
  func healID(
    of verified: VerifiedRun, at index: Int, behind parent: Branch.Parent?
  ) throws -> Bool {
    let sequence = parent?.sequence.next ?? .first
    let previous = index > 0 ? verified.ids[index - 1] : verified.run.previous
    for branch in base.state.branches
    where branch.replica == verified.run.replica && branch.goesOn(behind: parent) {
      let position = try base.position(of: branch.index.rawValue, at: sequence.rawValue)
      let record = try event(at: position)
      guard !record.follows(previous),
        try fits(verified.ids[index], branch.index.rawValue, sequence)
      else { continue }
      try replace(
        record, at: position, by: verified.run.items[index].content, id: verified.ids[index])
      return true
    }
    return false
  }

  /// Whether what comes after a place of a branch follows from an ID.
  private func fits(
    _ id: EventID, _ branch: UInt32, _ sequence: SequenceNumber
  ) throws -> Bool {
    let head = base.state.branches[Int(branch)]
    if sequence == head.headSequence { return head.headID == id }
    let position = try base.position(of: branch, at: sequence.next.rawValue)
    return try base.event(at: position).follows(id)
  }

  /// An event that lay in the log before, as this transaction has left it.
  private func event(at position: UInt64) throws -> EventRecord {
    guard replaced.contains(position) else { return try base.event(at: position) }
    return try EventRecord(value(ofEventAt: position), at: position)
  }

  private func replace(
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
    replaced.insert(position)
    try withUnsafeBytes(of: position.bigEndian) { key in
      // LMDB walks to where the event stands and trusts what it meets there.
      try base.events.checkPath(to: key)
      try value.withUnsafeBytes { try put(key, $0, in: .events) }
    }
  }
}

extension Branch {
  /// Whether the branch has an event of its own right behind a place.
  fileprivate func goesOn(behind place: Parent?) -> Bool {
    if parent == place { return true }
    guard let place, place.branch == index else { return false }
    return place.sequence < headSequence
  }
}

extension EventRecord {
  /// Whether the event comes to its ID behind another.
  func follows(_ previous: EventID) -> Bool {
    EventChain.id(
      sequence: SequenceNumber(rawValue: sequence), timestamp: id.timestamp, previous: previous,
      payload: bare?.digest ?? PayloadDigest(bufferPointer: payload)) == id
  }
}
