internal import CarillonModel
internal import CarillonWire

/// What the responder wants once more, as far as its initiator knows.
struct PeerWants: Sendable {
  private struct Want: Sendable {
    let point: SyncPoint
    let range: BranchRange
    /// Whether an audit there found that it does not come to its ID.
    let isDamaged: Bool
    var chances = 2
  }

  /// Named by the responder so far; each is given once.
  private var named: Set<SyncPoint> = []
  private var namedCount = 0
  private var remaining = 0
  /// To be sent.
  private var queue: [Want] = []
  /// Sent and not answered, by where they lie.
  private var sent: [Place: Want] = [:]
  /// Not to be had here, though their place is known.
  private var lost: [SyncPoint] = []
  private var given: Set<SyncPoint> = []
  /// Of those that were given, the ones that got what they lacked.
  private var repaired: Set<SyncPoint> = []

  /// How many events the other side repaired.
  var repairedCount: Int { repaired.count }

  /// What stays as it is on the other side, in order.
  var unrepaired: [SyncPoint] {
    var seen = given
    return (lost + queue.map(\.point) + sent.values.map(\.point)).filter {
      seen.insert($0).inserted
    }.sorted { ($0.prefix, $0.sequence) < ($1.prefix, $1.sequence) }
  }

  /// From which place on the responder is to be asked for more of what it wants; nil where it has
  /// named all, or enough.
  var nextFrom: Int? {
    remaining > 0 && namedCount < OwnWants.maxCount ? namedCount : nil
  }

  /// The next of them.
  var ranges: [BranchRange] {
    // Repairing changes what the responder finds: first all is named.
    nextFrom == nil ? queue.prefix(SyncMessage.maxWanted).map(\.range) : []
  }

  /// Takes what an answer names.
  ///
  /// - Parameters:
  ///   - remaining: How many more there are; nil where the answer is not to that question.
  ///   - areDamaged: Whether they are wanted because they do not come to their IDs.
  /// - Throws: `malformed` where more is named than any honest side does.
  mutating func take(
    _ points: [SyncPoint], remaining: Int?, areDamaged: Bool, in tree: BranchTree,
    lookup: inout IDLookup
  ) throws(SyncError) {
    namedCount += points.count
    if let remaining { self.remaining = points.isEmpty ? 0 : remaining }
    guard namedCount <= Self.maxNamed else {
      throw SyncError(
        code: .malformed,
        message: "the other side wants \(namedCount) events once more; the most is "
          + "\(Self.maxNamed)")
    }
    for point in points where named.insert(point).inserted {
      let ranges = lookup.ranges(of: point, knownPrefixes: [point.prefix], in: tree)
      queue += ranges.map { Want(point: point, range: $0, isDamaged: areDamaged) }
      let isPlace = !tree.places(of: .prefix(point.prefix), at: point.sequence).isEmpty
      if ranges.isEmpty, isPlace { lost.append(point) }
    }
  }

  /// An honest side names each in one answer, or in two where one is late.
  private static let maxNamed = 2 * OwnWants.maxCount + SyncMessage.maxWanted

  /// Nothing can be given of the next of them at some places.
  mutating func lose(_ isLost: [Bool]) {
    lost += zip(queue, isLost).filter(\.1).map(\.0.point)
    queue = zip(queue, isLost).filter { !$1 }.map(\.0) + queue.dropFirst(isLost.count)
  }

  /// The first of them are on their way.
  mutating func send(_ count: Int) {
    for want in queue.prefix(count) {
      sent[Place(branch: want.range.branch, sequence: want.range.sequences.lowerBound)] = want
    }
    queue.removeFirst(count)
  }

  /// One was answered.
  ///
  /// - Parameter hasRepaired: Whether anything was repaired, here or there: then what was not taken
  ///   may be taken now.
  mutating func answer(_ run: OutgoingRun.Summary, isAcknowledged: Bool, hasRepaired: Bool) {
    guard var want = sent.removeValue(forKey: run.place) else { return }
    if !hasRepaired { want.chances -= 1 }
    if isAcknowledged {
      given.insert(want.point)
      // One that lacks its content still lacks it where it came redacted, or as its ID.
      if run.hasPayload || want.isDamaged { repaired.insert(want.point) }
    } else if want.chances > 0 {
      queue.append(want)
    } else {
      lost.append(want.point)
    }
  }
}

extension IDLookup {
  /// The events that a side may mean with what it wants, each as a run of its own.
  mutating func ranges(
    of wanted: SyncPoint, knownPrefixes: Set<UInt32>, in tree: BranchTree
  ) -> [BranchRange] {
    let places = tree.places(of: .prefix(wanted.prefix), at: wanted.sequence)
    return places.compactMap { place in
      if wanted.suffix != 0, id(at: place, in: tree)?.suffix != wanted.suffix { return nil }
      let reference = tree.reference(
        to: tree[place.branch], from: place.sequence, knownPrefixes: knownPrefixes)
      return BranchRange(
        branch: place.branch, sequences: place.sequence...place.sequence, reference: reference,
        isWanted: true)
    }
  }
}
