internal import CarillonModel
internal import CarillonWire

/// The events that the responder wants for repair, as far as the initiator knows.
struct PeerWants: Sendable {
  private struct Want: Sendable {
    let point: SyncPoint
    let range: BranchRange
    /// Whether an audit there found that the content does not hash to its ID.
    let isDamaged: Bool
    var chances = 2
  }

  /// All events named by the responder so far; each is sent once.
  private var named: Set<SyncPoint> = []
  private var namedCount = 0
  private var remaining = 0
  /// To be sent.
  private var queue: [Want] = []
  /// Sent and not answered yet, by place.
  private var sent: [Place: Want] = [:]
  /// Wanted events that cannot be sent, though their place is known.
  private var lost: [SyncPoint] = []
  private var given: Set<SyncPoint> = []
  /// The sent events that were repaired on the peer.
  private var repaired: Set<SyncPoint> = []

  /// The number of events that the peer repaired.
  var repairedCount: Int { repaired.count }

  /// The events that were not repaired on the peer, in order.
  var unrepaired: [SyncPoint] {
    var seen = given
    return (lost + queue.map(\.point) + sent.values.map(\.point)).filter {
      seen.insert($0).inserted
    }.sorted { ($0.prefix, $0.sequence) < ($1.prefix, $1.sequence) }
  }

  /// The index from which to request more of the responder's wanted events; nil if it has named all
  /// of them, or enough.
  var nextFrom: Int? {
    remaining > 0 && namedCount < OwnWants.maxCount ? namedCount : nil
  }

  /// The next events to send.
  var ranges: [BranchRange] {
    // Repairing changes what the responder finds, so it first names all events.
    nextFrom == nil ? queue.prefix(SyncMessage.maxWanted).map(\.range) : []
  }

  /// Adds the wanted events that an answer names.
  ///
  /// - Parameters:
  ///   - remaining: How many more there are; nil if the answer does not say.
  ///   - areDamaged: Whether they are wanted because their content does not hash to their IDs.
  /// - Throws: `malformed` if the peer names more events than a conforming peer does.
  mutating func take(
    _ points: [SyncPoint], remaining: Int?, areDamaged: Bool, in tree: BranchTree,
    lookup: inout IDLookup
  ) throws(SyncError) {
    namedCount += points.count
    if let remaining { self.remaining = points.isEmpty ? 0 : remaining }
    guard namedCount <= Self.maxNamed else {
      throw SyncError(
        code: .malformed,
        message: "the peer wants \(namedCount) events for repair; at most "
          + "\(Self.maxNamed) are allowed")
    }
    for point in points where named.insert(point).inserted {
      let ranges = lookup.ranges(of: point, knownPrefixes: [point.prefix], in: tree)
      queue += ranges.map { Want(point: point, range: $0, isDamaged: areDamaged) }
      let isPlace = !tree.places(of: .prefix(point.prefix), at: point.sequence).isEmpty
      if ranges.isEmpty, isPlace { lost.append(point) }
    }
  }

  /// The maximum number of wanted events that a peer may name.
  ///
  /// A conforming peer names each event in one answer, or in two if one is late.
  private static let maxNamed = 2 * OwnWants.maxCount + SyncMessage.maxWanted

  /// Marks those of the next wanted events that cannot be sent.
  mutating func lose(_ isLost: [Bool]) {
    lost += zip(queue, isLost).filter(\.1).map(\.0.point)
    queue = zip(queue, isLost).filter { !$1 }.map(\.0) + queue.dropFirst(isLost.count)
  }

  /// Marks the first of the queued events as sent.
  mutating func send(_ count: Int) {
    for want in queue.prefix(count) {
      sent[Place(branch: want.range.branch, sequence: want.range.sequences.lowerBound)] = want
    }
    queue.removeFirst(count)
  }

  /// Evaluates the answer to one sent event.
  ///
  /// - Parameter hasRepaired: Whether any event was repaired, here or there. If so, the peer may
  ///   accept an event now that it did not accept before.
  mutating func answer(_ run: OutgoingRun.Summary, isAcknowledged: Bool, hasRepaired: Bool) {
    guard var want = sent.removeValue(forKey: run.place) else { return }
    if !hasRepaired { want.chances -= 1 }
    if isAcknowledged {
      given.insert(want.point)
      // An event without content still lacks it if it was sent redacted or as its ID alone.
      if run.hasPayload || want.isDamaged { repaired.insert(want.point) }
    } else if want.chances > 0 {
      queue.append(want)
    } else {
      lost.append(want.point)
    }
  }
}

extension IDLookup {
  /// Returns the events that a wanted point may mean, each as a run of its own.
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
