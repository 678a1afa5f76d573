internal import CarillonModel
internal import CarillonWire

/// What a leader knows of the other side.
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
  private var closed: Set<BranchIndex> = []
  /// Whether all of its vector has come.
  private(set) var isAnnounced = false
  /// How many of its heads have come.
  private(set) var headCount = 0
  /// Replicas that it has shown to know.
  private(set) var knownTags: Set<UInt32> = []
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
    knownTags.formUnion(vector.heads.lazy.map(\.tag))
    isAnnounced = vector.remaining == 0
  }

  /// It holds all that is held here.
  mutating func equal(_ tree: BranchTree) {
    isAnnounced = true
    knownTags.formUnion(tree.branches.lazy.map(\.replica.syncTag))
    for branch in tree.branches {
      hold(Place(branch: branch.index, sequence: branch.headSequence.rawValue), in: tree)
    }
  }

  /// Finds which of the announced heads are held here by now.
  ///
  /// Each is looked for once; after that what comes brings it.
  mutating func settle(_ intake: RunIntake, in tree: BranchTree, lookup: inout IDLookup) {
    var left: [SyncPoint] = []
    func check(_ heads: [SyncPoint], where mayBeHeld: (SyncPoint) -> Bool) {
      for head in heads {
        if mayBeHeld(head), let place = lookup.place(of: head, in: tree) {
          hold(place, in: tree)
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

  /// It holds everything up to a place.
  mutating func hold(_ place: Place, in tree: BranchTree) {
    coverage.cover(place, in: tree)
    sent.cover(place, in: tree)
  }

  /// A stretch is on its way.
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

  /// A stretch from a sequence on did not arrive.
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
  }

  /// Whether it is known to hold more, or less is missing here, than was known before.
  func knows(moreThan before: Peer) -> Bool {
    coverage.total > before.coverage.total || missing.count < before.missing.count
  }

  /// Nothing more of a branch can be given.
  mutating func withhold(_ branch: BranchIndex) {
    withheld.insert(branch)
  }

  /// Nothing more of a replica.
  mutating func abandon(_ tag: UInt32) {
    abandoned.insert(tag)
  }

  /// There is no room here for the head on whose way a run lies.
  ///
  /// - Parameters:
  ///   - targets: The heads that were asked for, in order.
  ///   - ends: The ends of the runs that came.
  mutating func giveUp(_ end: SyncPoint, targets: [SyncPoint], ends: [SyncPoint]) {
    if missing.contains(end) || unchecked.contains(end) {
      givenUp.insert(end)
    } else if let target = targets.first(where: { $0.tag == end.tag && !ends.contains($0) }) {
      givenUp.insert(target)
    }
  }

  /// There is no room there for a branch.
  mutating func close(_ branch: BranchIndex) {
    closed.insert(branch)
  }

  /// How much was given up.
  var givenUpCount: Int { abandoned.count + givenUp.count + closed.count }

  /// Its heads to ask for, at most as many as one message names.
  var targets: [SyncPoint] {
    Array(
      missing.lazy.filter { !abandoned.contains($0.tag) && !givenUp.contains($0) }
        .prefix(Self.maxTargets))
  }

  /// Whether a branch, or one that it left, has no room there.
  private func isClosed(_ branch: Branch, in tree: BranchTree) -> Bool {
    var next: Branch? = closed.isEmpty ? nil : branch
    while let branch = next {
      if closed.contains(branch.index) { return true }
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
  /// that replica.
  func stretches(in tree: BranchTree) -> [Stretch] {
    guard isAnnounced else { return [] }
    let unknown = abandoned.union(missing.lazy.map(\.tag))
    var stretches: [Stretch] = []
    for branch in tree.branches where stretches.count < SyncMessage.maxRuns {
      guard !unknown.contains(branch.replica.syncTag), !withheld.contains(branch.index),
        !isClosed(branch, in: tree), let range = sent.missing(of: branch)
      else { continue }
      let reference = tree.reference(
        to: branch, from: range.lowerBound, knownTags: knownTags)
      stretches.append(Stretch(branch: branch.index, sequences: range, reference: reference))
    }
    return stretches
  }

  /// How many events it is thought to lack.
  func eventsToSend(in tree: BranchTree) -> Int {
    tree.branches.reduce(0) { $0 + (coverage.missing(of: $1)?.count ?? 0) }
  }

  /// How many events are still missing here, at most.
  func eventsToReceive(in tree: BranchTree) -> Int {
    let sum = missing.reduce(UInt64(0)) { sum, head in
      let own = tree.branches(of: .tag(head.tag)).map(\.headSequence.rawValue).max() ?? 0
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
      SyncLocator(replica: .tag($0.tag), sequence: $0.sequence, tails: [$0.tail])
    }
    for tag in Set(targets.map(\.tag)).sorted() {
      for branch in tree.branches(of: .tag(tag)).reversed() where held.count < SyncLocator.maxCount
      {
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
      tree.isTagShared(branch.replica.syncTag)
      ? .full(branch.replica) : .tag(branch.replica.syncTag)
    let shared = coverage[branch.index]
    if shared > 0, let id = lookup.id(at: Place(branch: branch.index, sequence: shared), in: tree) {
      return SyncLocator(replica: reference, sequence: shared, tails: [id.tail])
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
