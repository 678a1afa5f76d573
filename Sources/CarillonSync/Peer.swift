internal import CarillonModel
internal import CarillonWire

/// What an initiator knows of the other side.
struct Peer: Sendable {
  /// The most bytes it takes in one message, and we send.
  var limit: Int
  /// Its announced heads that are not held here yet.
  private(set) var missing: [SyncPoint] = []
  /// Its announced heads that were not looked for here yet.
  private var unchecked: [SyncPoint] = []
  /// Its heads for which there is no room here.
  private var givenUp: Set<SyncPoint> = []
  /// Branches for which there is no room there.
  private var full: Set<BranchIndex> = []
  /// Whether all of its vector has come.
  private(set) var isAnnounced = false
  /// How many of its heads have come.
  private(set) var headCount = 0
  /// Replicas that it has shown to know.
  private(set) var knownPrefixes: Set<UInt32> = []
  /// What it holds of the log here.
  private(set) var coverage = Coverage(branchCount: 0)
  /// The same, and what was sent and not yet acknowledged.
  private var sent = Coverage(branchCount: 0)
  /// The first event of each branch that it lacked.
  private var firstSent: [BranchIndex: UInt64] = [:]
  /// Replicas of which no more is sent, or asked for, since something was refused.
  private(set) var abandoned: Set<UInt32> = []
  /// Branches whose last events are damaged here, and vouched for by nothing.
  private var withheld: Set<BranchIndex> = []
  /// Heads that its events close and that are not held here yet.
  private var expected: Set<SyncPoint> = []
  /// How often an event was not taken that closes branches.
  private var drops: [Place: Int] = [:]
  /// What it wants once more.
  var wants = PeerWants()
  private var announcements = 0
  /// No more events than this can lie under the heads that it announced.
  private(set) var announcedEvents: UInt64 = 0

  init(limit: Int, branchCount: Int) {
    self.limit = limit
    grow(to: branchCount)
  }

  /// How often a vector may be announced anew: an honest side does it once for a new identity.
  private static let maxAnnouncements = 8

  mutating func grow(to branchCount: Int) {
    coverage.grow(to: branchCount)
    sent.grow(to: branchCount)
  }

  /// Takes a vector, or the next part of one.
  ///
  /// - Throws: `tooManyHeads`; `malformed` where more heads are to come and none is named.
  mutating func announce(
    _ vector: SyncMessage.Vector, asked first: Int
  ) throws(SyncError) {
    guard vector.remaining == 0 || !vector.heads.isEmpty else {
      throw SyncError(
        code: .malformed,
        message: "the other side's vector names no head and \(vector.remaining) to come")
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

  /// It holds all that is held here.
  mutating func equal(_ tree: BranchTree) {
    isAnnounced = true
    knownPrefixes.formUnion(tree.branches.lazy.map(\.replica.prefix))
    for branch in tree.branches {
      hold(Place(branch: branch.index, sequence: branch.headSequence.rawValue), in: tree)
    }
  }

  /// Finds which of the announced heads are held here by now.
  ///
  /// Each is looked for once; after that what comes brings it.
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

  /// Nothing came to a question for these heads: somebody else may have brought them.
  mutating func recheck(_ targets: [SyncPoint]) {
    unchecked += missing.filter(targets.contains)
    missing.removeAll(where: targets.contains)
  }

  /// It has events that close branches at these heads, which are not held here: they are asked for
  /// before those events.
  mutating func expect(_ heads: [Head]) {
    let points = heads.map(SyncPoint.init).filter {
      expected.count < Self.maxExpected && expected.insert($0).inserted
    }
    let new = Set(points)
    missing = points + missing.filter { !new.contains($0) }
    knownPrefixes.formUnion(points.map(\.prefix))
    for point in points { announcedEvents = announcedEvents.adding(point.sequence) }
  }

  /// How many heads that its events close are still to come.
  var expectedCount: Int { expected.count }

  /// So that an answer that names ever more of them ends.
  private static let maxExpected = 4_096

  /// It holds everything up to a place.
  mutating func hold(_ place: Place, in tree: BranchTree) {
    coverage.cover(place, in: tree)
    sent.cover(place, in: tree)
  }

  /// A range is on its way.
  mutating func send(_ run: OutgoingRun, in tree: BranchTree) {
    if firstSent[run.branch] == nil { firstSent[run.branch] = run.run.firstSequence }
    sent.cover(Place(branch: run.branch, sequence: run.run.lastSequence), in: tree)
  }

  /// How many of the events that were sent it holds, however it said so.
  var eventsSent: Int {
    firstSent.reduce(0) { sum, sent in
      let held = coverage[sent.key]
      return held < sent.value ? sum : sum + Int(held - sent.value) + 1
    }
  }

  /// A range from a sequence on did not arrive.
  mutating func lose(_ branch: BranchIndex, from first: UInt64) {
    sent.limit(branch, to: max(first - 1, coverage[branch]))
  }

  /// It does not hold what it was thought to hold of a replica, but what its locators say.
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
    // What is closed by the events that were dropped may be lost on the way.
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

  /// Each message in flight may be lost, and arrive once more in vain.
  private static let maxDrops = 8

  /// Whether it is known to hold more, or less is missing here, than was known before.
  func knows(moreThan before: Peer) -> Bool {
    coverage.total > before.coverage.total || missing.count < before.missing.count
  }

  /// Nothing more of a branch can be given.
  mutating func withhold(_ branch: BranchIndex) {
    withheld.insert(branch)
  }

  /// Nothing more of a replica.
  mutating func abandon(_ prefix: UInt32) {
    abandoned.insert(prefix)
  }

  /// There is no room here for the head on whose way a run lies.
  ///
  /// - Parameters:
  ///   - targets: The heads that were asked for, in order.
  ///   - ends: The ends of the runs that came.
  mutating func giveUp(_ end: SyncPoint, targets: [SyncPoint], ends: [SyncPoint]) {
    if missing.contains(end) || unchecked.contains(end) {
      givenUp.insert(end)
    } else if let target = targets.first(where: { $0.prefix == end.prefix && !ends.contains($0) }) {
      givenUp.insert(target)
    }
  }

  /// There is no room there for a branch.
  mutating func refuseBranch(_ branch: BranchIndex) {
    full.insert(branch)
  }

  /// How much was given up.
  var givenUpCount: Int { abandoned.count + givenUp.count + full.count }

  /// Its heads to ask for, at most as many as one message names.
  var targets: [SyncPoint] {
    Array(
      missing.lazy.filter { !abandoned.contains($0.prefix) && !givenUp.contains($0) }
        .prefix(Self.maxTargets))
  }

  /// Whether a branch, or one that it left, has no room there.
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

  /// What it lacks and has not been sent.
  ///
  /// As long as a head of a replica is not held here, it is not known what the other side lacks of
  /// that replica. And a replica that it does not name may be one that it has closed: that shows in
  /// the events that are asked for. One's own is news.
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

  /// How many events it is thought to lack.
  func eventsToSend(in tree: BranchTree) -> Int {
    tree.branches.reduce(0) { $0 + (coverage.missing(of: $1)?.count ?? 0) }
  }

  /// How many events are still missing here, at most.
  func eventsToReceive(in tree: BranchTree) -> Int {
    let sum = missing.reduce(UInt64(0)) { sum, head in
      let own = tree.branches(of: .prefix(head.prefix)).map(\.headSequence.rawValue).max() ?? 0
      return sum.adding(head.sequence - min(own, head.sequence))
    }
    return Int(clamping: sum)
  }

  /// What to ask for: the targets, and what is held here on the way to them.
  ///
  /// - Parameter ends: Ends of runs that have come and are not appended yet.
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

  /// What is held here of a branch: one ID where the other side is known to hold it too, else a
  /// few from the head down, among which it will find the last one that both hold.
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
  /// The sum, or the greatest number: what a peer says may be anything.
  func adding(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
