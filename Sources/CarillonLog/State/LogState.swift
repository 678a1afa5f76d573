package import CarillonModel

/// The contents of a log's small tables after one commit: the branches and `meta`.
package struct LogState: Sendable {
  /// The number of the commit.
  package var commit: UInt64
  package var meta: MetaTable
  package let storeID: StoreID
  package private(set) var replica: ReplicaID
  package private(set) var predecessor: ReplicaID?
  package var marker: IdentityMarker?
  package var generation: UInt64 = 0
  /// The branches in ascending order of their index, which equals the array's index.
  package internal(set) var branches: [Branch] = []
  /// The branches whose stored rows are out of date, because the transaction changed them or they
  /// were damaged and are repaired in memory.
  package var unsavedBranches: Set<UInt32> = []
  /// The first events of a replica's branches, for the replicas that were looked up.
  package var forks: [ReplicaID: ForkIndex] = [:]
  package private(set) var lastPosition: UInt64
  /// The erasure lists that were not applied yet, in order of arrival.
  var erasureLists: [NotedErasureList] = []
  /// The erasures that the log has read, if it reads them.
  var erasureSearch: ErasureSearch?
  /// The index of the branch that new events extend; nil before the first.
  package private(set) var ownBranch: Int?
  /// The number of open branches, which is the number of heads in the version vector.
  private(set) var openCount = 0
  /// The indices of branches by the ID of their head.
  private(set) var heads: [EventID: Int] = [:]
  /// The indices of each replica's branches.
  private(set) var places: [ReplicaID: [Int]] = [:]
  /// The greatest timestamp of a head that counts for the clock.
  ///
  /// Timestamps increase along a branch.
  private var greatest: Timestamp?

  /// Creates the state of a new log.
  package init(storeID: StoreID, replica: ReplicaID) {
    self.storeID = storeID
    self.replica = replica
    commit = 0
    meta = MetaTable()
    lastPosition = 0
  }

  /// The state of a log with the same identity and no events.
  var withoutEvents: LogState {
    var state = LogState(storeID: storeID, replica: replica)
    (state.predecessor, state.generation, state.commit) = (predecessor, generation, commit + 1)
    return state
  }

  /// Whether the identity announcement must be written before the next own event.
  var mustAnnounce: Bool { predecessor != nil && ownBranch == nil }

  /// Whether the own branch ends at a timestamp that own events can no longer follow.
  var mustLeaveBranch: Bool { chainBase.last?.isBeyondClocks ?? false }

  package var identity: ReplicaIdentity {
    ReplicaIdentity(replica: replica, predecessor: predecessor, isAnnounced: !mustAnnounce)
  }

  package var ends: LogEnds { LogEnds(branches: branches, identity: identity) }

  /// The end of the own branch, which the next own event follows.
  var chainBase: ChainBase {
    guard let ownBranch else {
      return ChainBase(
        replica: replica, sequence: 0, previous: EventChain.root(of: replica), greatest: greatest)
    }
    let branch = branches[ownBranch]
    return ChainBase(
      replica: replica, sequence: branch.headSequence.rawValue, previous: branch.headID,
      greatest: greatest)
  }

  /// Whether an event is one of a branch's own.
  package func has(_ branch: UInt32, _ sequence: UInt64) -> Bool {
    branches.indices.contains(Int(branch)) && branches[Int(branch)].has(sequence)
  }

  /// Returns the sequence of a branch's last event; nil if the branch does not exist.
  package func headSequence(of branch: BranchIndex) -> UInt64? {
    let index = Int(branch.rawValue)
    return branches.indices.contains(index) ? branches[index].headSequence.rawValue : nil
  }

  /// Returns the branch that owns a place, which is the branch itself or one of its parents; nil
  /// after the head.
  package func owner(of sequence: UInt64, on branch: Int) -> UInt32? {
    guard branches.indices.contains(branch) else { return nil }
    var branch = branches[branch]
    guard sequence >= 1, sequence <= branch.headSequence.rawValue else { return nil }
    while sequence < branch.firstSequence.rawValue, let parent = branch.parent {
      branch = branches[Int(parent.branch.rawValue)]
    }
    return branch.index.rawValue
  }

  /// Returns the last sequence that a branch shares with one of its parents; for the branch itself,
  /// the sequence of its head.
  func lastSequence(of owner: UInt32, on branch: Int) -> UInt64 {
    var branch = branches[branch]
    var last = branch.headSequence.rawValue
    while branch.index.rawValue != owner, let parent = branch.parent {
      last = min(last, parent.sequence.rawValue)
      branch = branches[Int(parent.branch.rawValue)]
    }
    return last
  }
}

/// The branches of a log and its identity, in one of its states.
package struct LogEnds: Sendable {
  package let branches: [Branch]
  package let identity: ReplicaIdentity
}

// MARK: - Changing

extension LogState {
  /// An existing branch, or a branch to be opened.
  package enum Target {
    case branch(Int)
    case new(ReplicaID, parent: Branch.Parent?)
  }

  /// The branch, sequence and position at which events are written.
  package struct Place {
    package let branch: UInt32
    package let sequence: UInt64
    package let position: UInt64
  }

  /// Continues with another identity.
  mutating func adopt(_ newReplica: ReplicaID) {
    // An identity without events has no history that a successor could refer to.
    if !mustAnnounce { predecessor = replica }
    replica = newReplica
    ownBranch = nil
  }

  /// Continues with an identity of any other log.
  mutating func rename(to newReplica: ReplicaID) {
    (replica, predecessor) = (newReplica, nil)
    ownBranch = places[newReplica]?.first
  }

  /// Returns the place of the next events on a branch.
  ///
  /// - Throws: `full`, `corrupt`.
  func place(for target: Target, count: Int) throws(LogError) -> Place {
    let position = lastPosition + 1
    guard position + UInt64(count) < LogLimits.maxCounter else {
      throw .corrupt("position \(position) is out of range")
    }
    switch target {
    case .branch(let index):
      let branch = branches[index]
      return Place(
        branch: branch.index.rawValue, sequence: branch.headSequence.rawValue + 1,
        position: position)
    case .new(_, let parent):
      guard branches.count <= Int(LogLimits.maxBranchIndex) else {
        throw LogError(
          code: .full, message: "the log has \(branches.count) branches, which is the limit")
      }
      return Place(
        branch: UInt32(branches.count), sequence: (parent?.sequence.rawValue ?? 0) + 1,
        position: position)
    }
  }

  /// Updates the state after events were written.
  mutating func advance(_ place: Place, ids: ArraySlice<EventID>, on target: Target) {
    guard let first = ids.first, let last = ids.last else { return }
    let index = Int(place.branch)
    let headSequence = SequenceNumber(rawValue: place.sequence + UInt64(ids.count) - 1)
    if opensHead(target) { openCount += 1 }
    switch target {
    case .branch:
      heads[branches[index].headID] = nil
      branches[index].headSequence = headSequence
      branches[index].headID = last
      branches[index].isClosed = false
    case .new(let replica, let parent):
      branches.append(
        Branch(
          index: BranchIndex(rawValue: place.branch), replica: replica, parent: parent,
          headSequence: headSequence, headID: last))
      places[replica, default: []].append(index)
      forks[replica]?.byFirstID[first] = index
      if replica == self.replica && ownBranch == nil { ownBranch = index }
    }
    heads[last] = index
    lastPosition += UInt64(ids.count)
    greatest = Timestamp.greatest(last.timestamp, greatest)
    unsavedBranches.insert(place.branch)
  }

  /// Whether writing events to a target adds a head.
  func opensHead(_ target: Target) -> Bool {
    switch target {
    case .new: true
    case .branch(let index): branches[index].isClosed
    }
  }

  /// Records the branches that an event closes.
  mutating func note(_ closing: Branch.Closing, on branch: Int) {
    let closings = branches[branch].closings
    let index = closings.firstIndex { $0.sequence > closing.sequence } ?? closings.endIndex
    branches[branch].closings.insert(closing, at: index)
    for place in closing.closed {
      let closed = Int(place.branch.rawValue)
      guard branches[closed].headSequence == place.sequence, !branches[closed].isClosed else {
        continue
      }
      branches[closed].isClosed = true
      openCount -= 1
    }
  }
}

// MARK: - Loading

/// The tables of a log in files, from which its state is read.
package protocol LogTables {
  /// The number of the last commit.
  var commit: UInt64 { get }
  var meta: MetaTable { get }
  func lastPosition() throws -> UInt64
  /// Returns the rows of all branches in ascending order of their indices.
  func branchRows() throws -> [BranchRow]
  /// Returns the rows of all events that close branches in ascending order of their positions.
  func closingRows() throws -> [ClosingRow]
  /// Returns the last run of a branch.
  func lastRun(of branch: UInt32) throws -> StoredRun?
  /// Returns the greatest branch index that has runs; nil if there are none.
  func lastRunBranch() throws -> UInt32?
  /// Returns a view of these tables with the part of the state that is read so far.
  func view(_ state: LogState) throws -> any LogView
}

extension LogState {
  /// Reads the state from the tables.
  ///
  /// - Throws: `corrupt`.
  /// - Complexity: O(branches), with a look-up and a short hash for each.
  package init(_ tables: some LogTables) throws {
    meta = tables.meta
    commit = tables.commit
    storeID = try Self.identifier(meta.value(.store, byteCount: 16))
    replica = try Self.identifier(meta.value(.replica, byteCount: 16))
    predecessor = try meta.optional(.predecessor, byteCount: 16).map(Self.identifier)
    marker = try meta.optional(.marker, byteCount: IdentityMarker.byteCount)
      .map { bytes in bytes.withUnsafeBytes { IdentityMarker(loading: $0) } }
    generation =
      try meta.optional(.generation, byteCount: 8).map { UInt64(bigEndianBytes: $0) } ?? 0
    erasureLists = try NotedErasureList.all(in: meta)
    erasureSearch = meta[.erasureSearch].flatMap { ErasureSearch(bytes: $0) }
    lastPosition = try tables.lastPosition()
    guard lastPosition < LogLimits.maxCounter else {
      throw LogError.corrupt("the last position is \(lastPosition)")
    }
    try readBranches(tables)
    openCount = branches.count
    for row in try tables.closingRows() {
      guard let (closing, branch) = row.closing, branch < branches.count,
        closing.sequence <= branches[branch].headSequence,
        closing.closed.allSatisfy({ Int($0.branch.rawValue) < branches.count })
      else { continue }
      note(closing, on: branch)
    }
    heads = Dictionary(
      branches.enumerated().map { ($1.headID, $0) }, uniquingKeysWith: { first, _ in first })
    places = Dictionary(grouping: branches.indices) { branches[$0].replica }
    ownBranch = try findOwnBranch()
    greatest = branches.reduce(nil) { Timestamp.greatest($1.headID.timestamp, $0) }
  }

  /// Returns the value of ``MetaKey/branch`` for a branch.
  package static func ownBranchBytes(_ index: Int?) -> [UInt8] {
    (index.map(UInt32.init) ?? .max).bigEndianBytes
  }

  // MARK: -

  private static func identifier<Kind>(_ bytes: [UInt8]) -> Identifier<Kind> {
    bytes.withUnsafeBytes { Identifier(loading: $0) }
  }

  /// Finds the own branch.
  ///
  /// It must be the branch that `meta` names; without one, the own replica must not have written
  /// any events.
  private func findOwnBranch() throws(LogError) -> Int? {
    let index = UInt32(bigEndianBytes: try meta.value(.branch, byteCount: 4))
    let found = places[replica]?.first
    guard found == (index == .max ? nil : Int(index)) else {
      throw .corrupt("its replica \(replica) is not the replica of its branch")
    }
    return found
  }

  /// Reads the branches.
  ///
  /// A branch's row repeats the sequence and ID of its last event.
  ///
  /// If the two differ, the one that can be confirmed counts: the row by its checksum, the event by
  /// its ID. A damaged row can therefore never cause a wrong head to be sent or an event to follow
  /// a wrong ID.
  private mutating func readBranches(_ tables: some LogTables) throws {
    var end: UInt64 = 0
    for row in try tables.branchRows() {
      guard let run = try tables.lastRun(of: row.index) else {
        throw LogError.corrupt("branch \(row.index) has no run")
      }
      end = max(end, run.lastPosition)
      if run.endSequence - 1 == row.headSequence, row.isIntact {
        branches.append(
          try row.branch(after: branches, headSequence: row.headSequence, headID: row.headID))
      } else {
        try repair(row, run, tables)
      }
    }
    guard end == lastPosition, try tables.lastRunBranch() == branches.last?.index.rawValue else {
      throw LogError.corrupt("its events, runs and branches end at different places")
    }
  }

  /// Takes the head from the last event if that event is confirmed.
  private mutating func repair(
    _ row: BranchRow, _ run: StoredRun, _ tables: some LogTables
  ) throws {
    let head = run.endSequence - 1
    let damage = LogError.corrupt(
      "branch \(row.index) has the head \(row.headSequence), but its last event is \(head)")
    // An intact row never has a head after its last event, so in that case the run is damaged.
    guard !row.isIntact || head > row.headSequence else { throw damage }
    let event = try tables.view(self).header(at: run.lastPosition)
    guard event.isAt(row.index, head) else { throw damage }
    let branch = try row.branch(after: branches, headSequence: head, headID: event.id)
    branches.append(branch)
    if !row.wasWritten(for: branch) {
      // The last event confirms its ID, and the first one confirms the replica and the parent.
      let view = try tables.view(self)
      for sequence in [branch.firstSequence.rawValue, head] {
        guard try view.isIntact(view.event(of: row.index, at: sequence).1) else { throw damage }
      }
    }
    unsavedBranches.insert(row.index)
  }
}
