internal import CarillonModel

/// The branches of one replica by their first events.
package struct ForkIndex: Sendable {
  /// Branches by the ID of their first event, if its content hashes to that ID.
  var byFirstID: [EventID: Int] = [:]
  /// Branches whose first event is damaged, so that it may be any event.
  var damaged: [Int] = []
}

/// The branches that hold a run's first events, and the target for the remaining ones.
struct RunPath {
  /// The branches of the held events, in order, with the number of events on each.
  var held: [(branch: Int, count: Int)] = []
  /// The target of the remaining events; nil if all are held.
  var target: LogState.Target?

  var heldCount: Int { held.reduce(0) { $0 + $1.count } }
}

extension LogTransaction {
  /// Follows a run from the event before it along the events that are held.
  ///
  /// - Returns: Nil if the event before it is not found, or if a damaged event on the path may be
  ///   one of the run's events.
  /// - Complexity: O(log events) look-ups for each branch of the path, independent of the replica's
  ///   number of branches. In addition, one look-up for each branch that has, after its first
  ///   event, an event at the sequence before the run.
  func path(of verified: VerifiedRun) throws -> RunPath? {
    let run = verified.run
    let forks = try forks(of: run.replica)
    var path = RunPath()
    var (index, sequence) = (0, run.firstSequence.rawValue - 1)
    var branch: Int?
    if sequence > 0 {
      branch = try self.branch(with: run.previous, of: run.replica, at: sequence, forks)
      guard branch != nil else { return nil }
    }
    while index < verified.ids.count {
      if let branch, state.branches[branch].headSequence.rawValue == sequence {
        // A head has no successor.
        path.target = .branch(branch)
        return path
      }
      var count = 0
      if let branch {
        count = try matchCount(verified, from: index, on: branch, behind: sequence)
        if count == 0, try !isIntact(branch, at: sequence + 1) { return nil }
      }
      if count == 0 {
        guard let fork = forks.byFirstID[verified.ids[index]] else {
          path.target = newTarget(run.replica, on: branch, behind: sequence, forks)
          return path.target == nil ? nil : path
        }
        (branch, count) = (fork, 1)
      }
      if let branch { path.held.append((branch, count)) }
      index += count
      sequence += UInt64(count)
    }
    return path
  }

  // MARK: -

  /// Returns a target that opens a branch; nil if a damaged branch has the same parent, because the
  /// run may belong to that branch.
  private func newTarget(
    _ replica: ReplicaID, on branch: Int?, behind sequence: UInt64, _ forks: ForkIndex
  ) -> LogState.Target? {
    let parent = branch.map {
      Branch.Parent(
        branch: BranchIndex(rawValue: UInt32($0)), sequence: SequenceNumber(rawValue: sequence))
    }
    let mayBeDamaged = forks.damaged.contains { state.branches[$0].parent == parent }
    return mayBeDamaged ? nil : .new(replica, parent: parent)
  }

  /// Returns the number of events of a run, from an index on, that follow a place of a branch.
  private func matchCount(
    _ verified: VerifiedRun, from index: Int, on branch: Int, behind sequence: UInt64
  ) throws -> Int {
    let left = state.branches[branch].headSequence.rawValue - sequence
    // Every event before a held event is held too, so a binary search finds the last one.
    var (low, high) = (0, Int(min(left, UInt64(verified.ids.count - index))))
    while low < high {
      let middle = (low + high + 1) / 2
      let held = try id(on: branch, at: sequence + UInt64(middle))
      if held == verified.ids[index + middle - 1] { low = middle } else { high = middle - 1 }
    }
    return low
  }

  private func id(on branch: Int, at sequence: UInt64) throws -> EventID {
    sequence == state.branches[branch].headSequence.rawValue
      ? state.branches[branch].headID : try id(of: UInt32(branch), at: sequence)
  }

  private func branch(
    with id: EventID, of replica: ReplicaID, at sequence: UInt64, _ forks: ForkIndex
  ) throws -> Int? {
    if let head = state.heads[id] {
      let branch = state.branches[head]
      return branch.replica == replica && branch.headSequence.rawValue == sequence ? head : nil
    }
    if let first = forks.byFirstID[id] {
      return state.branches[first].firstSequence.rawValue == sequence ? first : nil
    }
    return try state.places[replica, default: []].first { index in
      let branch = state.branches[index]
      return try branch.firstSequence.rawValue < sequence && branch.has(sequence)
        && self.id(of: UInt32(index), at: sequence) == id
    }
  }

  /// Whether the content of one of a branch's own events hashes to its ID.
  private func isIntact(_ branch: Int, at sequence: UInt64) throws -> Bool {
    let index = UInt32(branch)
    // Events that this transaction wrote were verified.
    guard base.has(index, sequence) else { return true }
    return try isIntact(rowEvent(of: index, at: sequence).event.placed(index, sequence))
  }

  /// The first events of a replica's branches.
  ///
  /// They are read once and kept until another process writes.
  private func forks(of replica: ReplicaID) throws -> ForkIndex {
    if let forks = state.forks[replica] { return forks }
    var forks = ForkIndex()
    for index in state.places[replica, default: []] {
      let first = state.branches[index].firstSequence.rawValue
      if try isIntact(index, at: first) {
        forks.byFirstID[try id(on: index, at: first)] = index
      } else {
        forks.damaged.append(index)
      }
    }
    state.forks[replica] = forks
    return forks
  }
}
