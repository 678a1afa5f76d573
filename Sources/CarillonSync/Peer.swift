internal import CarillonModel
internal import CarillonWire

/// What an initiator knows about its peer.
struct Peer: Sendable {
  /// The most bytes that the peer accepts, and this side sends, in one message.
  var limit: Int
  /// Announced heads that are not held here yet.
  private(set) var missing: [SyncPoint] = []
  /// Announced heads that were not looked up here yet.
  private var unchecked: [SyncPoint] = []
  /// Heads of the peer that this log has no room for.
  private var givenUp: Set<SyncPoint> = []
  /// Branches that the peer has no room for.
  private var full: Set<BranchIndex> = []
  /// Whether the complete vector has arrived.
  private(set) var isAnnounced = false
  /// The number of heads received so far.
  private(set) var headCount = 0
  /// Prefixes of replicas that the peer is known to know.
  private(set) var knownPrefixes: Set<UInt32> = []
  /// The events of this log that the peer holds.
  private(set) var coverage = Coverage(branchCount: 0)
  /// The same, including events that were sent and not acknowledged yet.
  private var sent = Coverage(branchCount: 0)
  /// The first event of each branch that was sent to the peer.
  private var firstSent: [BranchIndex: UInt64] = [:]
  /// Replicas that are no longer sent or requested, because something was refused.
  private(set) var abandoned: Set<UInt32> = []
  /// Branches whose last events are damaged here, so that no later event confirms their IDs.
  private var withheld: Set<BranchIndex> = []
  /// Heads that the peer's events close and that are not held here yet.
  private var expected: Set<SyncPoint> = []
  /// How often the peer dropped an event that closes branches.
  private var drops: [Place: Int] = [:]
  /// The events that the peer wants for repair.
  var wants = PeerWants()
  private var announcements = 0
  /// The maximum number of events that can lie under the announced heads.
  private(set) var announcedEvents: UInt64 = 0

  init(limit: Int, branchCount: Int) {
    self.limit = limit
    grow(to: branchCount)
  }

  /// The maximum number of announced vectors.
  ///
  /// A conforming peer announces another one only after it took a new identity.
  private static let maxAnnouncements = 8

  mutating func grow(to branchCount: Int) {
    coverage.grow(to: branchCount)
    sent.grow(to: branchCount)
  }

  /// Adds a vector, or the next part of one.
  ///
  /// - Throws: `tooManyHeads`; `malformed` if more heads are to come and none is named.
  mutating func announce(
    _ vector: SyncMessage.Vector, asked first: Int
  ) throws(SyncError) {
    guard vector.remaining == 0 || !vector.heads.isEmpty else {
      throw SyncError(
        code: .malformed,
        message: "the peer's vector names no head, but announces \(vector.remaining) more")
    }
    if first == 0 {
      announcements += 1
      guard announcements <= Self.maxAnnouncements else { return }
      headCount = 0
      (missing, unchecked) = ([], [])
    }
    headCount += vector.heads.count
    guard headCount <= SyncMessage.maxHeads else { throw .tooManyHeads(headCount) }
    unchecked += vector.heads
    for head in vector.heads { announcedEvents = announcedEvents.adding(head.sequence) }
    knownPrefixes.formUnion(vector.heads.lazy.map(\.prefix))
    isAnnounced = vector.remaining == 0
  }

  /// Records that the peer holds everything that is held here.
  mutating func equal(_ tree: BranchTree) {
    isAnnounced = true
    knownPrefixes.formUnion(tree.branches.lazy.map(\.replica.prefix))
    for branch in tree.branches {
      hold(Place(branch: branch.index, sequence: branch.headSequence.rawValue), in: tree)
    }
  }

  /// Determines which of the announced heads are held here now.
  ///
  /// Each head is looked up once; after that, only received runs can bring it.
  mutating func resolve(_ intake: RunIntake, in tree: BranchTree, lookup: inout IDLookup) {
    var left: [SyncPoint] = []
    func check(_ heads: [SyncPoint], where mayBeHeld: (SyncPoint) -> Bool) {
      for head in heads {
        if mayBeHeld(head), let place = lookup.place(of: head, in: tree) {
          hold(place, in: tree)
          expected.remove(head)
        } else {
          left.append(head)
        }
      }
    }
    check(missing) { tree.head($0) != nil || intake.brings($0) }
    check(unchecked) { _ in true }
    (missing, unchecked) = (left, [])
  }

  /// Looks up requested heads again that brought no events: another process may have added them.
  mutating func recheck(_ targets: [SyncPoint]) {
    unchecked += missing.filter(targets.contains)
    missing.removeAll(where: targets.contains)
  }

  /// Requests heads that the peer's events close and that are not held here, before those events.
  mutating func expect(_ heads: [Head]) {
    let points = heads.map(SyncPoint.init).filter {
      expected.count < Self.maxExpected && expected.insert($0).inserted
    }
    let new = Set(points)
    missing = points + missing.filter { !new.contains($0) }
    knownPrefixes.formUnion(points.map(\.prefix))
    for point in points { announcedEvents = announcedEvents.adding(point.sequence) }
  }

  /// The number of closed heads that are still to come.
  var expectedCount: Int { expected.count }

  /// The limit that ends a sync in which the peer keeps naming closed heads.
  private static let maxExpected = 4_096

  /// Records that the peer holds everything up to a place.
  mutating func hold(_ place: Place, in tree: BranchTree) {
    coverage.cover(place, in: tree)
    sent.cover(place, in: tree)
  }

  /// Records that a run is in flight.
  mutating func send(_ run: OutgoingRun, in tree: BranchTree) {
    if firstSent[run.branch] == nil { firstSent[run.branch] = run.run.firstSequence }
    sent.cover(Place(branch: run.branch, sequence: run.run.lastSequence), in: tree)
  }

  /// How many of the sent events the peer holds, whether or not it acknowledged them.
  var eventsSent: Int {
    firstSent.reduce(0) { sum, sent in
      let held = coverage[sent.key]
      return held < sent.value ? sum : sum + Int(held - sent.value) + 1
    }
  }

  /// Records that the events of a branch from a sequence on did not arrive.
  mutating func lose(_ branch: BranchIndex, from first: UInt64) {
    sent.limit(branch, to: max(first - 1, coverage[branch]))
  }

  /// Replaces what the peer was thought to hold of a replica by what its locators report.
  mutating func relocate(
    _ replica: ReplicaReference, locators: [SyncLocator], in tree: BranchTree,
    lookup: inout IDLookup
  ) {
    for branch in tree.branches(of: replica) {
      coverage.limit(branch.index, to: 0)
      sent.limit(branch.index, to: 0)
    }
    for locator in locators {
      if let place = lookup.place(of: locator, in: tree) { hold(place, in: tree) }
    }
    // Branches closed by the dropped events may be lost as well.
    if !tree.closings.isEmpty { sent = coverage }
    for branch in tree.branches(of: replica) {
      let next = Place(branch: branch.index, sequence: coverage[branch.index] + 1)
      guard branch.closings.contains(where: { $0.sequence.rawValue == next.sequence }) else {
        continue
      }
      drops[next, default: 0] += 1
      if drops[next, default: 0] > Self.maxDrops { withheld.insert(branch.index) }
    }
  }

  /// The maximum number of drops: each message in flight may be lost and arrive again.
  private static let maxDrops = 8

  /// Whether the peer is known to hold more, or fewer heads are missing here, than before.
  func knows(moreThan before: Peer) -> Bool {
    coverage.total > before.coverage.total || missing.count < before.missing.count
  }

  /// Stops sending a branch whose next events cannot be read.
  mutating func withhold(_ branch: BranchIndex) {
    withheld.insert(branch)
  }

  /// Stops sending and requesting a replica.
  mutating func abandon(_ prefix: UInt32) {
    abandoned.insert(prefix)
  }

  /// Gives up the requested head that a run leads to, because this log has no room for the run.
  ///
  /// - Parameters:
  ///   - end: The end of the run.
  ///   - targets: The requested heads, in order.
  ///   - ends: The ends of the received runs.
  mutating func giveUp(_ end: SyncPoint, targets: [SyncPoint], ends: [SyncPoint]) {
    if missing.contains(end) || unchecked.contains(end) {
      givenUp.insert(end)
    } else if let target = targets.first(where: { $0.prefix == end.prefix && !ends.contains($0) }) {
      givenUp.insert(target)
    }
  }

  /// Stops sending a branch that the peer has no room for.
  mutating func refuseBranch(_ branch: BranchIndex) {
    full.insert(branch)
  }

  /// The number of replicas, heads and branches given up.
  var givenUpCount: Int { abandoned.count + givenUp.count + full.count }

  /// The peer's heads to request, at most as many as one message names.
  var targets: [SyncPoint] {
    Array(
      missing.lazy.filter { !abandoned.contains($0.prefix) && !givenUp.contains($0) }
        .prefix(Self.maxTargets))
  }

  /// Whether the peer has no room for a branch or one of its ancestors.
  private func isFull(for branch: Branch, in tree: BranchTree) -> Bool {
    var next: Branch? = full.isEmpty ? nil : branch
    while let branch = next {
      if full.contains(branch.index) { return true }
      next = branch.parent.map { tree[$0.branch] }
    }
    return false
  }

  /// Whether one side holds events that the other is not known to hold.
  func differs(from tree: BranchTree) -> Bool { !missing.isEmpty || eventsToSend(in: tree) > 0 }

  private static let maxTargets = 24

  /// Returns the events that the peer lacks and that were not sent yet.
  ///
  /// While a head of a replica is missing here, it is unknown what the peer lacks of that replica,
  /// so none of it is sent. A replica that the peer does not name may be closed there, which the
  /// requested events will show. This log's own replica is always sent.
  func ranges(in tree: BranchTree, own: ReplicaID) -> [BranchRange] {
    guard isAnnounced else { return [] }
    let unknown = abandoned.union(missing.lazy.map(\.prefix))
    let hasTargets = !targets.isEmpty
    let order = NewsOrder(lackedBy: sent, in: tree, maxCount: SyncMessage.maxRuns) { branch in
      let prefix = branch.replica.prefix
      return !unknown.contains(prefix) && !withheld.contains(branch.index)
        && !isFull(for: branch, in: tree)
        && (!hasTargets || knownPrefixes.contains(prefix) || branch.replica == own)
    }
    return order.ranges.flatMap {
      tree.ranges(of: $0.branch, $0.sequences, knownPrefixes: knownPrefixes)
    }
  }

  /// Returns the number of events that the peer is thought to lack.
  func eventsToSend(in tree: BranchTree) -> Int {
    tree.branches.reduce(0) { $0 + (coverage.missing(of: $1)?.count ?? 0) }
  }

  /// Returns an upper bound of the number of events still missing here.
  func eventsToReceive(in tree: BranchTree) -> Int {
    let sum = missing.reduce(UInt64(0)) { sum, head in
      let own = tree.branches(of: .prefix(head.prefix)).map(\.headSequence.rawValue).max() ?? 0
      return sum.adding(head.sequence - min(own, head.sequence))
    }
    return Int(clamping: sum)
  }

  /// Returns a request for heads, with what is held here on the way to them.
  ///
  /// - Parameter ends: Ends of received runs that are not appended yet.
  func request(
    for targets: [SyncPoint], ends: [SyncPoint], in tree: BranchTree, lookup: inout IDLookup
  ) -> SyncMessage.Request {
    var held = ends.prefix(SyncLocator.maxCount / 2).map {
      SyncLocator(replica: .prefix($0.prefix), sequence: $0.sequence, suffixes: [$0.suffix])
    }
    for prefix in Set(targets.map(\.prefix)).sorted() {
      for branch in tree.branches(of: .prefix(prefix)).reversed()
      where held.count < SyncLocator.maxCount {
        held.append(locator(of: branch, in: tree, lookup: &lookup))
      }
    }
    return SyncMessage.Request(targets: targets, held: SyncLocator.fitting(held))
  }

  /// Returns what is held here of a branch: one ID that the peer is known to hold, or several from
  /// the head down, among which the peer finds the last one that both hold.
  private func locator(
    of branch: Branch, in tree: BranchTree, lookup: inout IDLookup
  ) -> SyncLocator {
    let reference: ReplicaReference =
      tree.isPrefixShared(branch.replica.prefix)
      ? .full(branch.replica) : .prefix(branch.replica.prefix)
    let shared = coverage[branch.index]
    if shared > 0, let id = lookup.id(at: Place(branch: branch.index, sequence: shared), in: tree) {
      return SyncLocator(replica: reference, sequence: shared, suffixes: [id.suffix])
    }
    let head = Place(branch: branch.index, sequence: branch.headSequence.rawValue)
    return lookup.locator(from: head, reference: reference, in: tree)
  }
}

extension UInt64 {
  /// Returns the sum, or the maximum on overflow: a peer may send any number.
  func adding(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
