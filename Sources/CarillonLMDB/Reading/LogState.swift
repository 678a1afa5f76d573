internal import CarillonModel

/// What the log's small tables say after one commit: the branches and `meta`.
struct LogState: Sendable {
  /// The number of the commit.
  var transaction: UInt64
  var meta: MetaTable
  let storeID: StoreID
  var replica: ReplicaID
  var predecessor: ReplicaID?
  var marker: IdentityMarker?
  var generation: UInt64
  /// By ascending index; the index equals the place.
  var branches: [Branch]
  /// How many of them are open: so many heads the version vector has.
  var openCount = 0
  /// The branches whose rows are damaged or stale and were repaired in memory; the next commit
  /// writes them.
  var repairedBranches: Set<UInt32> = []
  /// The places of branches by the ID of their head.
  var heads: [EventID: Int] = [:]
  /// The places of a replica's branches.
  var places: [ReplicaID: [Int]] = [:]
  /// With which events a replica's branches begin, for those that were asked for.
  var forks: [ReplicaID: ForkIndex] = [:]
  var lastPosition: UInt64
  /// The place of the branch that new events extend; nil before the first.
  var ownBranch: Int?
  /// The greatest timestamp of a head that counts for the clock.
  ///
  /// Timestamps rise along a branch.
  var greatest: Timestamp?

  /// Whether the next own event must be preceded by what a new identity says.
  var mustAnnounce: Bool { predecessor != nil && ownBranch == nil }

  /// Whether the own branch ends at a timestamp that own events must not follow any more.
  var mustLeaveBranch: Bool { chainBase.last?.isBeyondClocks ?? false }

  var identity: ReplicaIdentity {
    ReplicaIdentity(replica: replica, predecessor: predecessor, isAnnounced: !mustAnnounce)
  }

  /// What the next own event follows.
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

  /// Goes on under another name.
  mutating func adopt(_ newReplica: ReplicaID) {
    // A name under which nothing was written has no history to go on from.
    if !mustAnnounce { predecessor = replica }
    replica = newReplica
    ownBranch = nil
  }
}

extension LogState {
  /// Reads the state of a snapshot.
  ///
  /// - Throws: `unsupportedFormat` for another format, `corrupt`.
  /// - Complexity: O(branches): a look-up and a short hash each.
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

  /// The branch that ``MetaKey/branch`` stands for.
  static func ownBranchBytes(_ index: Int?) -> [UInt8] {
    (index.map(UInt32.init) ?? .max).bigEndianBytes
  }

  // MARK: -

  private static func identifier<Kind>(_ bytes: [UInt8]) -> Identifier<Kind> {
    bytes.withUnsafeBytes { Identifier(loading: $0) }
  }

  /// The own name is that of the branch that `meta` names, or one under which nothing was written.
  private func findOwnBranch() throws(LogError) -> Int? {
    let index = UInt32(bigEndianBytes: try meta.value(.branch, byteCount: 4))
    let found = places[replica]?.first
    guard found == (index == .max ? nil : Int(index)) else {
      throw .corrupt("its own name \(replica) is not that of its branch")
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
  /// Takes in what an event closes.
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

/// A branch's row names its last event a second time.
///
/// Where the two differ, what can be confirmed holds: the row by its checksum, the event by its ID.
/// So no event is chained to an ID, and no head is sent, that a damaged row made up.
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
      throw .corrupt("its events, runs and branches do not end at one place")
    }
  }

  /// Takes the head from the last event.
  private mutating func repair(
    _ row: BranchRow, _ run: StoredRun, _ snapshot: PageSnapshot
  ) throws(LogError) {
    let damage = LogError.corrupt(
      "branch \(row.index) names a head, \(row.headSequence), that is not its last event, "
        + "\(run.endSequence - 1)")
    // A row as it was written knows no event too many, so there the run is damaged.
    guard !row.isIntact || run.endSequence - 1 > row.headSequence else { throw damage }
    let event = try LogSnapshot(snapshot, state: self).event(at: run.lastPosition)
    guard event.isAt(row.index, run.endSequence - 1) else { throw damage }
    let branch = try row.branch(
      after: branches, headSequence: event.sequence, headID: event.id)
    branches.append(branch)
    if !row.wasWritten(for: branch) {
      // The last event confirms its ID, and the first confirms replica and parent.
      let log = try LogSnapshot(snapshot, state: self)
      for sequence in [branch.firstSequence.rawValue, event.sequence] {
        guard try log.isIntact(log.event(of: row.index, at: sequence).record) else { throw damage }
      }
    }
    repairedBranches.insert(row.index)
  }
}
