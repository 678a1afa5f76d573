internal import CarillonModel

/// What the log's small tables say after one commit: the branches and `meta`.
struct LogState: Sendable {
  /// The number of the commit.
  var transaction: UInt64
  let storeID: StoreID
  var replica: ReplicaID
  var predecessor: ReplicaID?
  var marker: IdentityMarker?
  var generation: UInt64
  /// By ascending index; the index equals the place.
  var branches: [Branch]
  var lastPosition: UInt64
  /// The place of the branch that new events extend; nil before the first.
  var ownBranch: Int?
  /// The greatest timestamp of a head that counts for the clock.
  ///
  /// Timestamps rise along a branch.
  var greatest: Timestamp?

  /// Whether the next own event must be preceded by what a new identity says.
  var mustRestate: Bool { predecessor != nil && ownBranch == nil }

  /// Whether the own branch ends at a timestamp that own events must not follow any more.
  var mustLeaveBranch: Bool { chainBase.last?.isBeyondClocks ?? false }

  var identity: ReplicaIdentity {
    ReplicaIdentity(replica: replica, predecessor: predecessor, isStated: !mustRestate)
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
    if !mustRestate { predecessor = replica }
    replica = newReplica
    ownBranch = nil
  }
}

extension LogState {
  /// Reads the state of a snapshot.
  ///
  /// - Throws: `unsupportedFormat` for a newer format, `corrupt`.
  init(_ snapshot: PageSnapshot) throws(LogError) {
    let meta = try MetaTable(snapshot)
    try meta.checkFormat()
    transaction = snapshot.transaction
    storeID = Identifier(loading: try meta.value(.store, byteCount: 16))
    replica = Identifier(loading: try meta.value(.replica, byteCount: 16))
    predecessor = try meta.optional(.predecessor, byteCount: 16).map { Identifier(loading: $0) }
    marker = try meta.optional(.marker, byteCount: IdentityMarker.byteCount)
      .map { IdentityMarker(loading: $0) }
    generation =
      try meta.optional(.generation, byteCount: 8).map {
        UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
      } ?? 0
    branches = try Self.branches(snapshot)
    lastPosition = try Self.lastPosition(snapshot)
    let own = replica
    ownBranch = branches.firstIndex { $0.replica == own }
    greatest = Timestamp.greatest(of: branches.lazy.map(\.headID.timestamp))
  }

  private static func branches(_ snapshot: PageSnapshot) throws(LogError) -> [Branch] {
    var branches: [Branch] = []
    var cursor = try snapshot.tree(.branches).cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (key, value) = try cursor.entry() {
      let row = try BranchRow(key: key, value: value)
      branches.append(try row.branch(after: branches))
      isFound = try cursor.next()
    }
    return branches
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

/// The database `meta` of a snapshot.
struct MetaTable {
  private let tree: Tree

  init(_ snapshot: PageSnapshot) throws(LogError) {
    tree = try snapshot.tree(.meta)
  }

  /// - Throws: `unsupportedFormat`, naming both versions.
  func checkFormat() throws(LogError) {
    let version = UInt32(
      bigEndian: try value(.format, byteCount: 4).loadUnaligned(as: UInt32.self))
    guard version == LogFormat.version else {
      throw LogError(
        code: .unsupportedFormat,
        message: "The log is of format \(version); this build reads format "
          + "\(LogFormat.version). Use a newer Carillon.")
    }
  }

  func value(_ key: MetaKey, byteCount: Int) throws(LogError) -> UnsafeRawBufferPointer {
    guard let value = try optional(key, byteCount: byteCount) else {
      throw .corrupt("its \(key.rawValue) is missing")
    }
    return value
  }

  func optional(_ key: MetaKey, byteCount: Int) throws(LogError) -> UnsafeRawBufferPointer? {
    var cursor = tree.cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (name, value) = try cursor.entry() {
      if name.elementsEqual(key.rawValue.utf8) {
        guard value.count == byteCount else {
          throw .corrupt("its \(key.rawValue) has \(value.count) bytes instead of \(byteCount)")
        }
        return value
      }
      isFound = try cursor.next()
    }
    return nil
  }
}
