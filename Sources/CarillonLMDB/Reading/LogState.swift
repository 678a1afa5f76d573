internal import CarillonModel

/// The contents of the log's small tables after one commit: the branches and `meta`.
struct LogState: Sendable {
  /// The number of the commit.
  var transaction: UInt64
  var meta: MetaTable
  let storeID: StoreID
  var replica: ReplicaID
  var predecessor: ReplicaID?
  var marker: IdentityMarker?
  var generation: UInt64
  /// The branches in ascending order of their index, which equals the array's index.
  var branches: [Branch]
  /// The number of open branches, which is the number of heads in the version vector.
  var openCount = 0
  /// The branches whose rows were damaged or out of date and are repaired in memory.
  ///
  /// The next commit writes them.
  var repairedBranches: Set<UInt32> = []
  /// The indices of branches by the ID of their head.
  var heads: [EventID: Int] = [:]
  /// The indices of each replica's branches.
  var places: [ReplicaID: [Int]] = [:]
  /// The first events of a replica's branches, for the replicas that were looked up.
  var forks: [ReplicaID: ForkIndex] = [:]
  var lastPosition: UInt64
  /// The index of the branch that new events extend; nil before the first.
  var ownBranch: Int?
  /// The greatest timestamp of a head that counts for the clock.
  ///
  /// Timestamps increase along a branch.
  var greatest: Timestamp?

  /// Whether the identity announcement must be written before the next own event.
  var mustAnnounce: Bool { predecessor != nil && ownBranch == nil }

  /// Whether the own branch ends at a timestamp that own events can no longer follow.
  var mustLeaveBranch: Bool { chainBase.last?.isBeyondClocks ?? false }

  var identity: ReplicaIdentity {
    ReplicaIdentity(replica: replica, predecessor: predecessor, isAnnounced: !mustAnnounce)
  }

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

  /// Continues with another identity.
  mutating func adopt(_ newReplica: ReplicaID) {
    // An identity without events has no history that a successor could refer to.
    if !mustAnnounce { predecessor = replica }
    replica = newReplica
    ownBranch = nil
  }
}

extension LogState {
  /// Reads the state of a snapshot.
  ///
  /// - Throws: `unsupportedFormat` if the log has another format; `corrupt`.
  /// - Complexity: O(branches), with a look-up and a short hash for each.
  init(_ snapshot: PageSnapshot) throws(LogError) {
    meta = try MetaTable(snapshot)
    transaction = snapshot.transaction
    storeID = try Self.identifier(meta.value(.store, byteCount: 16))
    replica = try Self.identifier(meta.value(.replica, byteCount: 16))
    predecessor = try meta.optional(.predecessor, byteCount: 16).map(Self.identifier)
    marker = try meta.optional(.marker, byteCount: IdentityMarker.byteCount)
      .map { bytes in bytes.withUnsafeBytes { IdentityMarker(loading: $0) } }
    generation =
      try meta.optional(.generation, byteCount: 8).map { UInt64(bigEndianBytes: $0) } ?? 0
    branches = []
    lastPosition = try Self.lastPosition(snapshot)
    try readBranches(snapshot)
    openCount = branches.count
    try readClosings(snapshot)
    heads = Dictionary(
      branches.enumerated().map { ($1.headID, $0) }, uniquingKeysWith: { first, _ in first })
    places = Dictionary(grouping: branches.indices) { branches[$0].replica }
    ownBranch = try findOwnBranch()
    greatest = Timestamp.greatest(of: branches.lazy.map(\.headID.timestamp))
  }

  /// Returns the value of ``MetaKey/branch`` for a branch.
  static func ownBranchBytes(_ index: Int?) -> [UInt8] {
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

  private static func lastPosition(_ snapshot: PageSnapshot) throws(LogError) -> UInt64 {
    var cursor = try snapshot.tree(.events).cursor()
    guard try cursor.seekLast(), let (page, index) = cursor.leaf else { return 0 }
    let key = try page.cell(index).key
    guard key.count == 8 else { throw .corrupt("a position has \(key.count) bytes") }
    let position = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
    guard position >= 1, position < LogFormat.maxCounter else {
      throw .corrupt("the last position is \(position)")
    }
    return position
  }
}

// MARK: - Closings

extension LogState {
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

  private mutating func readClosings(_ snapshot: PageSnapshot) throws(LogError) {
    var cursor = try snapshot.tree(.closings).cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (key, value) = try cursor.entry() {
      if let (closing, branch) = ClosingRow.closing(key: key, value: value),
        branch < branches.count,
        closing.sequence <= branches[branch].headSequence,
        closing.closed.allSatisfy({ Int($0.branch.rawValue) < branches.count })
      {
        note(closing, on: branch)
      }
      isFound = try cursor.next()
    }
  }
}

// MARK: - Branches

/// A branch's row repeats the sequence and ID of its last event.
///
/// If the two differ, the one that can be confirmed counts: the row by its checksum, the event by
/// its ID. A damaged row can therefore never cause a wrong head to be sent or an event to follow a
/// wrong ID.
extension LogState {
  private mutating func readBranches(_ snapshot: PageSnapshot) throws(LogError) {
    let log = try LogSnapshot(snapshot, state: self)
    var cursor = try snapshot.tree(.branches).cursor()
    var isFound = try cursor.seekFirst()
    var end: UInt64 = 0
    while isFound, let (key, value) = try cursor.entry() {
      let row = try BranchRow(key: key, value: value)
      let run = try log.lastRun(of: row.index)
      end = max(end, run.lastPosition)
      if run.endSequence - 1 == row.headSequence, row.isIntact {
        let branch = try row.branch(
          after: branches, headSequence: row.headSequence, headID: row.headID)
        branches.append(branch)
      } else {
        try repair(row, run, snapshot)
      }
      isFound = try cursor.next()
    }
    guard end == lastPosition, try log.lastRunBranch == branches.last?.index.rawValue else {
      throw .corrupt("its events, runs and branches end at different places")
    }
  }

  /// Takes the head from the last event if that event is confirmed.
  private mutating func repair(
    _ row: BranchRow, _ run: StoredRun, _ snapshot: PageSnapshot
  ) throws(LogError) {
    let damage = LogError.corrupt(
      "branch \(row.index) has the head \(row.headSequence), but its last event is "
        + "\(run.endSequence - 1)")
    // An intact row never has a head after its last event, so in that case the run is damaged.
    guard !row.isIntact || run.endSequence - 1 > row.headSequence else { throw damage }
    let event = try LogSnapshot(snapshot, state: self).event(at: run.lastPosition)
    guard event.isAt(row.index, run.endSequence - 1) else { throw damage }
    let branch = try row.branch(
      after: branches, headSequence: event.sequence, headID: event.id)
    branches.append(branch)
    if !row.wasWritten(for: branch) {
      // The last event confirms its ID, and the first one confirms the replica and the parent.
      let log = try LogSnapshot(snapshot, state: self)
      for sequence in [branch.firstSequence.rawValue, event.sequence] {
        guard try log.isIntact(log.event(of: row.index, at: sequence).record) else { throw damage }
      }
    }
    repairedBranches.insert(row.index)
  }
}
