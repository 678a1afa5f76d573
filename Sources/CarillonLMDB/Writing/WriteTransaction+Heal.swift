internal import CarillonModel

/// How events that are held damaged, or without a payload that should be there, are made whole from
/// runs that have them.
extension WriteTransaction {
  /// Makes the events of runs that are held whole; gives how many were not, for each run.
  ///
  /// The last come first: what is whole names the one before it, however many in a row are damaged.
  ///
  /// - Complexity: O(bytes of the events that may be held × branches of the replica).
  func heal(_ runs: [VerifiedRun]) throws -> [Int] {
    var healed = Array(repeating: 0, count: runs.count)
    for (number, run) in runs.enumerated().reversed() {
      let branches = base.state.branches.filter { $0.mayHold(run) }
      for index in run.ids.indices.reversed() where !branches.isEmpty {
        for branch in branches where branch.has(run.sequence(index)) {
          healed[number] += try heal(run, at: index, on: branch) ? 1 : 0
        }
      }
    }
    return healed
  }

  /// Puts the ID of an event of a run back where it lies with another, its time perhaps another
  /// too: where it is not whole as it lies, and its content comes to the ID behind the one before.
  ///
  /// For what nothing that is whole stands behind.
  func healID(_ run: VerifiedRun, at index: Int) throws -> Bool {
    let (id, sequence) = (run.ids[index], run.sequence(index))
    let previous = index > 0 ? run.ids[index - 1] : run.run.previous
    for branch in base.state.branches
    where branch.replica == run.run.replica && branch.has(sequence) {
      let position = try base.position(of: branch.index.rawValue, at: sequence)
      let record = try event(at: position)
      guard try previousID(on: branch.index.rawValue, before: sequence) == previous,
        record.id(behind: previous) != record.id,
        record.id(behind: previous, at: id.timestamp) == id
      else { continue }
      try replace(record, at: position, by: run.run.items[index], id: id)
      return true
    }
    return false
  }

  // MARK: -

  private func heal(_ run: VerifiedRun, at index: Int, on branch: Branch) throws -> Bool {
    let (id, sequence) = (run.ids[index], run.sequence(index))
    let position = try base.position(of: branch.index.rawValue, at: sequence)
    let record = try event(at: position)
    if record.id == id {
      guard let content = try better(than: record, run.run.items[index]) else { return false }
      try replace(record, at: position, by: content)
    } else {
      guard try isNamed(id, on: branch, at: sequence) else { return false }
      try replace(record, at: position, by: run.run.items[index], id: id)
    }
    return true
  }

  /// Whether what stands behind a place of a branch follows from an ID.
  private func isNamed(_ id: EventID, on branch: Branch, at sequence: UInt64) throws -> Bool {
    if sequence == branch.headSequence.rawValue { return branch.headID == id }
    let next = try event(at: base.position(of: branch.index.rawValue, at: sequence + 1))
    return next.id(behind: id) == next.id
  }

  private func replace(
    _ record: EventRecord, at position: UInt64, by item: EventRun.Item, id: EventID
  ) throws {
    try replace(record, at: position, by: better(than: record, item) ?? record.content, id: id)
  }

  /// What an event should hold of which an item came; nil where that is what is held.
  ///
  /// What was erased on account of an event that is held stays erased. A payload that was taken
  /// otherwise, or is damaged, takes the item's place; so does the erasure that the item names,
  /// where that one is held or the payload is damaged.
  private func better(than record: EventRecord, _ item: EventRun.Item) throws -> EventContent? {
    guard let bare = record.bare else {
      let isSame =
        item.bare.map { $0.digest == record.digest } ?? record.payload.elementsEqual(item.payload)
      return isSame ? nil : item.content
    }
    let isDamaged = bare.digest != item.digest
    if try base.find(bare.erasure) != nil {
      let healed = BareContent(digest: item.digest, erasure: bare.erasure)
      return isDamaged ? .bare(healed) : nil
    }
    let saysMore = try item.erasure.map { try base.find($0) != nil } ?? true
    return isDamaged || saysMore ? item.content : nil
  }
}

extension Branch {
  /// Whether an event at a sequence stands on the branch itself.
  func has(_ sequence: UInt64) -> Bool {
    (firstSequence.rawValue...headSequence.rawValue).contains(sequence)
  }

  /// Whether events of a run may stand on the branch itself.
  fileprivate func mayHold(_ run: VerifiedRun) -> Bool {
    replica == run.run.replica && run.run.firstSequence <= headSequence
      && firstSequence.rawValue <= run.sequence(run.ids.count - 1)
  }
}

extension EventRecord {
  fileprivate var content: EventContent { bare.map(EventContent.bare) ?? .payload(Array(payload)) }
}
