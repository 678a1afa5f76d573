internal import CarillonModel

/// Repairs damaged events, and events that were redacted without a valid erasure, from received
/// runs.
struct Repair<Transaction: LogTransaction> {
  let transaction: Transaction
  /// Decides whether a redacted event gets its payload back; with nil, none does.
  let erasures: (any HeldErasures)?

  /// Repairs the held events of runs, and returns for each run the number of repaired events.
  ///
  /// The last events are repaired first: an intact event confirms the ID of the event before it,
  /// however many consecutive events are damaged.
  ///
  /// - Parameter paths: The location of each run's held events; nil if damage hides it.
  /// - Complexity: O(bytes of the held events); if damage hides their location, times the number of
  ///   the replica's branches.
  func repair(_ runs: [VerifiedRun], along paths: [RunPath?]) throws -> [Int] {
    var repaired = Array(repeating: 0, count: runs.count)
    for (number, run) in runs.enumerated().reversed() {
      if let path = paths[number] {
        repaired[number] = try repair(run, along: path)
        continue
      }
      let branches = transaction.base.branches.filter { $0.mayHold(run) }
      for index in run.ids.indices.reversed() where !branches.isEmpty {
        for branch in branches where branch.has(run.sequence(index)) {
          repaired[number] += try repair(run, at: index, on: branch) ? 1 : 0
        }
      }
    }
    return repaired
  }

  private func repair(_ run: VerifiedRun, along path: RunPath) throws -> Int {
    var (repaired, end) = (0, path.heldCount)
    for (branch, count) in path.held.reversed() {
      // Events that this transaction wrote are intact.
      if transaction.base.branches.indices.contains(branch) {
        let branch = transaction.base.branches[branch]
        for index in (end - count..<end).reversed() where branch.has(run.sequence(index)) {
          repaired += try repair(run, at: index, on: branch) ? 1 : 0
        }
      }
      end -= count
    }
    return repaired
  }

  /// Restores the ID, and possibly the timestamp, of a damaged event from a run.
  ///
  /// The stored content must hash to the run's ID when it follows the previous event. Used for
  /// events that no intact event follows.
  func repairID(_ run: VerifiedRun, at index: Int) throws -> Bool {
    let (id, sequence) = (run.ids[index], run.sequence(index))
    let previous = index > 0 ? run.ids[index - 1] : run.run.previous
    for branch in transaction.base.branches
    where branch.replica == run.run.replica && branch.has(sequence) {
      let (position, found) = try transaction.rowEvent(of: branch.index.rawValue, at: sequence)
      let record = found.placed(branch.index.rawValue, sequence)
      let before = try transaction.previousID(on: branch.index.rawValue, before: sequence)
      guard before == previous, record.id(behind: previous) != record.id,
        record.id(behind: previous, at: id.timestamp) == id
      else { continue }
      try replace(record, at: position, by: run.run.items[index], id: id)
      return true
    }
    return false
  }

  // MARK: -

  private func repair(_ run: VerifiedRun, at index: Int, on branch: Branch) throws -> Bool {
    let (id, sequence) = (run.ids[index], run.sequence(index))
    let (position, found) = try transaction.rowEvent(of: branch.index.rawValue, at: sequence)
    let record = found.placed(branch.index.rawValue, sequence)
    if record.id == id {
      let better = try better(than: record, run.run.items[index], id, at: position)
      let isPlaced = found.header.isAt(branch.index.rawValue, sequence)
      guard let content = better ?? (isPlaced ? nil : record.content) else { return false }
      try transaction.replace(record, at: position, by: content)
    } else {
      guard try isNamed(id, on: branch, at: sequence) else { return false }
      try replace(record, at: position, by: run.run.items[index], id: id)
    }
    return true
  }

  /// Whether the event after a place of a branch, or the branch's head, confirms an ID.
  private func isNamed(_ id: EventID, on branch: Branch, at sequence: UInt64) throws -> Bool {
    if sequence == branch.headSequence.rawValue { return branch.headID == id }
    let next = try transaction.rowEvent(of: branch.index.rawValue, at: sequence + 1).event
      .placed(branch.index.rawValue, sequence + 1)
    return next.id(behind: id) == next.id
  }

  private func replace(
    _ record: HeldEvent, at position: UInt64, by item: EventRun.Item, id: EventID
  ) throws {
    let content = try better(than: record, item, id, at: position) ?? record.content
    try transaction.replace(record, at: position, by: content, id: id)
  }

  /// The content that an event should have, given a received item; nil if it already has that
  /// content.
  private func better(
    than record: HeldEvent, _ item: EventRun.Item, _ id: EventID, at position: UInt64
  ) throws -> StoredContent? {
    guard item.missingID == nil else { return nil }
    // An event that closes branches must come after the events that it closes.
    if let closed = item.closing, try transaction.places(of: closed) == nil { return nil }
    guard let redacted = record.content.redacted else {
      let isSame =
        item.redacted.map { $0.digest == record.content.digest } ?? (record.content == item.content)
      return isSame ? nil : item.content
    }
    if try restores(redacted, item, id, at: position) { return item.content }
    let repaired = RedactedContent(digest: item.digest, erasure: redacted.erasure)
    return repaired == redacted ? nil : .redacted(repaired)
  }

  /// Whether a redacted event accepts an item's payload, or the erasure that the item names.
  private func restores(
    _ redacted: RedactedContent, _ item: EventRun.Item, _ id: EventID, at position: UInt64
  ) throws -> Bool {
    guard let erasures else { return false }
    guard let named = item.redacted else {
      return try erasures.permitRestoring(
        item.payload, to: redacted, of: id, at: LogPosition(rawValue: position))
    }
    guard named.erasure != redacted.erasure else { return false }
    return try !erasures.confirm(redacted, of: id) && erasures.confirm(named, of: id)
  }
}

extension Branch {
  /// Whether events of a run may be among the branch's own.
  fileprivate func mayHold(_ run: VerifiedRun) -> Bool {
    replica == run.run.replica && run.run.firstSequence <= headSequence
      && firstSequence.rawValue <= run.sequence(run.ids.count - 1)
  }
}
