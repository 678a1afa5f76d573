internal import CarillonModel
internal import CarillonWire

/// The branches of a log, indexed by the identifiers that sync messages use.
struct BranchTree: Sendable {
  /// All branches, ordered by index.
  let branches: [Branch]
  /// Indices into `branches` by the first 4 bytes of the ReplicaID, ordered by first sequence.
  private let byPrefix: [UInt32: [Int]]
  private let heads: [SyncPoint: Int]
  /// The events that close branches and the places they close, in the order in which the log
  /// received them: closed events always come before the event that closes them.
  let closings: [(place: Place, closed: [Place])]
  /// The number of heads in the version vector.
  let openCount: Int

  init(_ branches: [Branch]) {
    self.branches = branches
    byPrefix = Dictionary(grouping: branches.indices) { branches[$0].replica.prefix }
      .mapValues { $0.sorted { branches[$0].firstSequence < branches[$1].firstSequence } }
    heads = Dictionary(
      branches.indices.map { (SyncPoint(branches[$0].head), $0) },
      uniquingKeysWith: { one, _ in one })
    openCount = branches.count { !$0.isClosed }
    closings = branches.flatMap { branch in branch.closings.map { (branch.index, $0) } }
      .sorted { $0.1.position < $1.1.position }
      .map { index, closing in
        (
          Place(branch: index, sequence: closing.sequence.rawValue),
          closing.closed.map { Place(branch: $0.branch, sequence: $0.sequence.rawValue) }
        )
      }
  }

  /// Returns the branch whose head is the given point.
  func head(_ point: SyncPoint) -> Branch? { heads[point].map { branches[$0] } }

  subscript(index: BranchIndex) -> Branch { branches[Int(index.rawValue)] }

  /// Returns the branches of a replica, or of all replicas with its prefix.
  func branches(of replica: ReplicaReference) -> [Branch] {
    byPrefix[replica.prefix, default: []].sorted().lazy.map { branches[$0] }.filter {
      replica.matches($0.replica)
    }
  }

  /// Returns the places that match a replica and a sequence.
  ///
  /// Each event has exactly one place.
  func places(of replica: ReplicaReference, at sequence: UInt64) -> [Place] {
    byPrefix[replica.prefix, default: []].lazy.map { branches[$0] }
      .prefix { $0.firstSequence.rawValue <= sequence }
      .filter { sequence <= $0.headSequence.rawValue && replica.matches($0.replica) }
      .map { Place(branch: $0.index, sequence: sequence) }
  }

  /// Returns the place of an event that lies on a branch or on one of its ancestors.
  func place(on branch: BranchIndex, at sequence: UInt64) -> Place {
    var branch = self[branch]
    while sequence < branch.firstSequence.rawValue, let parent = branch.parent {
      branch = self[parent.branch]
    }
    return Place(branch: branch.index, sequence: sequence)
  }

  /// Whether several replicas share this 4-byte prefix.
  func isPrefixShared(_ prefix: UInt32) -> Bool {
    Set(byPrefix[prefix, default: []].map { branches[$0].replica }).count > 1
  }

  /// The heads of all open branches.
  var vector: VersionVector { VersionVector(branches: branches) }

  /// The heads of all open branches, as points.
  var points: Set<SyncPoint> {
    Set(branches.lazy.filter { !$0.isClosed }.map { SyncPoint($0.head) })
  }

  /// Returns the given events of a branch as ranges to send.
  ///
  /// An event that closes branches starts a new range, so that a receiver that lacks the closed
  /// heads can still accept the events before it.
  func ranges(
    of branch: Branch, _ range: ClosedRange<UInt64>, knownPrefixes: Set<UInt32>
  ) -> [BranchRange] {
    let starts = branch.closings.map(\.sequence.rawValue).filter {
      $0 > range.lowerBound && $0 <= range.upperBound
    }
    let firsts = [range.lowerBound] + starts
    let lasts = starts.map { $0 - 1 } + [range.upperBound]
    return zip(firsts, lasts).map { first, last in
      BranchRange(
        branch: branch.index, sequences: first...last,
        reference: reference(to: branch, from: first, knownPrefixes: knownPrefixes))
    }
  }

  /// Returns how a run names its replica to a peer that knows the given prefixes.
  func reference(
    to branch: Branch, from first: UInt64, knownPrefixes: Set<UInt32>
  ) -> ReplicaReference {
    let prefix = branch.replica.prefix
    return first == 1 || !knownPrefixes.contains(prefix) || isPrefixShared(prefix)
      ? .full(branch.replica) : .prefix(prefix)
  }
}

/// The part of a log that a peer holds: of each branch, all events up to a sequence.
///
/// Coverage includes the parents of a held branch up to its first event, and everything that held
/// events close.
struct Coverage: Sendable {
  /// The greatest sequence held, by branch; 0 if no event of the branch itself is held.
  private var reached: [UInt64]

  init(branchCount: Int) {
    reached = Array(repeating: 0, count: branchCount)
  }

  /// Makes room for branches that were added later.
  mutating func grow(to branchCount: Int) {
    reached += Array(repeating: 0, count: max(0, branchCount - reached.count))
  }

  /// A number that grows with the events held.
  var total: UInt64 { reached.reduce(0) { $0.adding($1) } }

  /// The greatest sequence held of a branch's own events, or 0.
  subscript(branch: BranchIndex) -> UInt64 { reached[Int(branch.rawValue)] }

  /// Records that everything up to a place is held.
  mutating func cover(_ place: Place, in tree: BranchTree) {
    var places = [place]
    while let place = places.popLast() { cover(place, in: tree, closed: &places) }
  }

  /// - Parameter closed: Receives the places that are closed on the way.
  private mutating func cover(_ place: Place, in tree: BranchTree, closed: inout [Place]) {
    var branch = place.branch
    var sequence = place.sequence
    while true {
      if sequence >= tree[branch].firstSequence.rawValue {
        let index = Int(branch.rawValue)
        guard reached[index] < sequence else { return }
        for closing in tree[branch].closings
        where closing.sequence.rawValue > reached[index] && closing.sequence.rawValue <= sequence {
          closed += closing.closed.map { Place(branch: $0.branch, sequence: $0.sequence.rawValue) }
        }
        reached[index] = sequence
      }
      guard let parent = tree[branch].parent else { return }
      branch = parent.branch
      sequence = min(sequence, parent.sequence.rawValue)
    }
  }

  /// Limits what is held of a branch to a sequence.
  mutating func limit(_ branch: BranchIndex, to sequence: UInt64) {
    let index = Int(branch.rawValue)
    reached[index] = min(reached[index], sequence)
  }

  /// Returns the range of a branch's own events that is not held, or nil.
  func missing(of branch: Branch, upTo last: UInt64? = nil) -> ClosedRange<UInt64>? {
    let first = max(reached[Int(branch.index.rawValue)] + 1, branch.firstSequence.rawValue)
    let last = last ?? branch.headSequence.rawValue
    return first <= last ? first...last : nil
  }

  /// Returns the ranges on the way to a place that are not held, parents first.
  func missing(toward place: Place, in tree: BranchTree) -> [(Branch, ClosedRange<UInt64>)] {
    var ranges: [(Branch, ClosedRange<UInt64>)] = []
    var branch = tree[place.branch]
    var sequence = place.sequence
    while true {
      if let range = missing(of: branch, upTo: sequence) { ranges.append((branch, range)) }
      guard self[branch.index] == 0, let parent = branch.parent else { break }
      branch = tree[parent.branch]
      sequence = parent.sequence.rawValue
    }
    return ranges.reversed()
  }
}
