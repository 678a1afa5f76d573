package import CarillonModel

extension LogTransaction {
  /// Appends the events of verified runs that the log lacks, in order.
  ///
  /// - Throws: The same errors as for a single run.
  package func append(
    _ runs: [VerifiedRun], wallClock: Instant, erasures: (any HeldErasures)?,
    policy: IdentityPolicy
  ) throws -> [AppendOutcome] {
    let runs = runs.map { withoutErased($0, policy.rules.readPayload) }
    let repair = Repair(transaction: self, erasures: erasures)
    let repaired = try repair.repair(runs, along: runs.map(path))
    return try zip(runs, repaired).map { run, repaired in
      // The path is followed again, because the run may continue events of an earlier run.
      guard let path = try path(of: run) else {
        return try append(run, repaired: repaired, wallClock: wallClock, repair, policy: policy)
      }
      guard let target = path.target else { return .duplicate(repaired: repaired) }
      return try put(run, after: path.heldCount, on: target, wallClock: wallClock, policy: policy)
    }
  }

  /// Appends the events that the log lacks of a verified run whose location is hidden by damage.
  ///
  /// The same rule covers a duplicate, an extension, an overlap and a fork.
  ///
  /// - Parameter repaired: The number of the run's events that were repaired before.
  /// - Throws: `corruptRun` if its previous ID is held at another sequence.
  /// - Complexity: O(events × branches of the replica).
  private func append(
    _ verified: VerifiedRun, repaired: Int, wallClock: Instant, _ repair: Repair<Self>,
    policy: IdentityPolicy
  ) throws -> AppendOutcome {
    let run = verified.run
    var held = try heldCount(of: verified)
    var repaired = repaired
    while try held < verified.ids.count && repair.repairID(verified, at: held) {
      (held, repaired) = (held + 1, repaired + 1)
    }
    guard held < verified.ids.count else { return .duplicate(repaired: repaired) }
    guard let target = try target(for: verified, held: held) else {
      return .gap(expected: nextSequence(of: run.replica))
    }
    return try put(verified, after: held, on: target, wallClock: wallClock, policy: policy)
  }

  /// Writes the events of a run after those that are held, unless that would open too many branches
  /// or one of the events closes a branch at an event that is not held.
  private func put(
    _ verified: VerifiedRun, after held: Int, on target: LogState.Target, wallClock: Instant,
    policy: IdentityPolicy
  ) throws -> AppendOutcome {
    let run = verified.run
    let closings = verified.closings.filter { $0.index >= held }
    guard try closings.allSatisfy({ try places(of: $0.closed) != nil }) else {
      return .gap(expected: nextSequence(of: run.replica))
    }
    guard state.openCount < VersionVector.maxTakenHeads || !state.opensHead(target) else {
      return .headsFull
    }
    if run.replica == state.replica {
      try changeIdentity(wallClock: wallClock, policy: policy)
    }
    let first = try put(
      run.items[held...].map(\.content), ids: verified.ids[held...], on: target)
    if policy.rules.obeysErasureLists {
      try noteErasureLists(in: run.items[held...], at: first.position)
    }
    try noteErasures(
      in: run.items[held...], ids: verified.ids[held...], policy.rules.readPayload)
    for closing in closings {
      let offset = UInt64(closing.index - held)
      try note(
        closing.closed, at: first.position + offset, on: first.branch,
        sequence: first.sequence + offset)
    }
    return .appended(
      LogPosition(rawValue: first.position)...LogPosition(rawValue: state.lastPosition), held: held)
  }

  // MARK: -

  /// Returns the number of events at the start of the run that are held.
  ///
  /// Every event before a held event is held too, so a binary search finds the last one.
  private func heldCount(of verified: VerifiedRun) throws -> Int {
    let run = verified.run
    // If the run follows a head, none of its events is held, because a head has no successor.
    if head(of: run.replica, run.previous) != nil { return 0 }
    var low = 0
    var high = verified.ids.count
    while low < high {
      let middle = (low + high) / 2
      if try place(of: verified.ids[middle], run.replica, verified.sequence(middle)) != nil {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Returns the branch that the rest of the run extends or opens; nil if the previous event is not
  /// held.
  private func target(for verified: VerifiedRun, held: Int) throws -> LogState.Target? {
    let run = verified.run
    let before = run.firstSequence.rawValue - 1 + UInt64(held)
    guard before > 0 else { return .new(run.replica, parent: nil) }
    let previous = held > 0 ? verified.ids[held - 1] : run.previous
    guard
      let place = try place(of: previous, run.replica, before) ?? find(previous, of: run.replica)
    else { return nil }
    guard place.sequence == before else {
      throw LogError(
        code: .corruptRun,
        message: "a run of \(run.replica) starts at sequence \(run.firstSequence.rawValue), but "
          + "follows the event with sequence \(place.sequence)")
    }
    if state.branches[place.branch].headSequence.rawValue == place.sequence {
      return .branch(place.branch)
    }
    let parent = Branch.Parent(
      branch: BranchIndex(rawValue: UInt32(place.branch)),
      sequence: SequenceNumber(rawValue: place.sequence))
    return .new(run.replica, parent: parent)
  }

  /// Finds an event at a given sequence, independent of neighbouring IDs, which may be damaged.
  private func place(
    of id: EventID, _ replica: ReplicaID, _ sequence: UInt64
  ) throws -> (branch: Int, sequence: UInt64)? {
    for (index, branch) in state.branches.enumerated()
    where branch.replica == replica && branch.has(sequence) {
      let isHead = sequence == branch.headSequence.rawValue
      let held = isHead ? branch.headID : try self.id(of: UInt32(index), at: sequence)
      if held == id { return (index, sequence) }
    }
    return nil
  }

  /// Finds an event at any sequence.
  private func find(
    _ id: EventID, of replica: ReplicaID
  ) throws -> (branch: Int, sequence: UInt64)? {
    if let head = head(of: replica, id) { return head }
    for (index, branch) in state.branches.enumerated()
    where branch.replica == replica && branch.headID.timestamp >= id.timestamp {
      let sequence = try branch.find(id) { sequence in
        try self.id(of: UInt32(index), at: sequence)
      }
      if let sequence { return (index, sequence) }
    }
    return nil
  }

  private func head(of replica: ReplicaID, _ id: EventID) -> (branch: Int, sequence: UInt64)? {
    guard let index = state.heads[id], state.branches[index].replica == replica else { return nil }
    return (index, state.branches[index].headSequence.rawValue)
  }

  private func nextSequence(of replica: ReplicaID) -> SequenceNumber {
    state.branches.lazy.filter { $0.replica == replica }.map(\.headSequence).max()?.next ?? .first
  }
}
