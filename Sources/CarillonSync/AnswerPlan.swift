internal import CarillonModel
internal import CarillonWire

/// A responder's answer to one message, without its events, and the ranges of events to send.
struct AnswerPlan: Sendable {
  private let tree: BranchTree
  private let limit: Int
  private(set) var message = SyncMessage()
  private(set) var ranges: [BranchRange] = []
  /// Prefixes of replicas that the initiator is known to know.
  private var knownPrefixes: Set<UInt32> = []
  /// The events that the initiator is known to hold.
  private var coverage: Coverage
  /// The last event on each branch that the initiator held when it asked.
  ///
  /// An initiator with a later event of the same replica holds the head here, unless it forked.
  private var heldPlaces: [Place] = []

  /// The maximum number of refusals in an answer.
  ///
  /// Other runs are refused when they arrive again.
  private static let maxRefusals = 16

  init(tree: BranchTree, options: SyncOptions) {
    self.tree = tree
    limit = options.maxMessageBytes
    coverage = Coverage(branchCount: tree.branches.count)
  }

  /// Names the events that this side wants for repair.
  mutating func want(_ points: [SyncPoint]) {
    message.wanted = Array(points.prefix(SyncMessage.maxWanted))
    message.wantedRemaining = points.count - message.wanted.count
  }

  /// Sets the prefix of this side's state digest.
  mutating func say(_ state: SyncMessage.StatePrefix?) {
    message.state = state
  }

  /// Reports whether the initiator's events could not be read.
  mutating func reportDictionary(isUnknown: Bool) {
    message.isDictionaryUnknown = isUnknown
  }

  /// Completes the answer as far as the required IDs are known.
  mutating func answer(
    _ question: SyncMessage, intake: RunIntake, identity: ReplicaIdentity, lookup: inout IDLookup
  ) {
    message.number = question.number
    message.limit = limit
    message.acknowledged = intake.ends
    message.refusals = Array(intake.refusals.prefix(Self.maxRefusals))
    locate(intake.dropped, lookup: &lookup)
    if question.isHello || question.vectorFrom > 0 || concernsIdentity(intake, identity) {
      announce(from: question.vectorFrom, limit: min(limit, question.limit))
    }
    knownPrefixes.formUnion(question.wanted.lazy.map(\.prefix))
    for point in question.wanted {
      ranges += lookup.ranges(of: point, knownPrefixes: knownPrefixes, in: tree)
    }
    if let vector = question.vector { answer(vector.heads, lookup: &lookup) }
    if let request = question.request { answer(request, lookup: &lookup) }
    // The initiator requests ranges again that are cut off here.
    ranges = Array(ranges.prefix(SyncMessage.maxRuns))
  }

  /// Whether runs have this log's own ReplicaID, or the one before it.
  ///
  /// Such runs can make the log take a new ReplicaID. The answer then has the vector, so that the
  /// initiator learns of the new one even if it sends the runs again.
  private func concernsIdentity(_ intake: RunIntake, _ identity: ReplicaIdentity) -> Bool {
    intake.runs.contains { $0.replica == identity.replica || $0.replica == identity.predecessor }
  }

  /// The places whose dictionaries the initiator probably derives too.
  var dictionaryPlaces: [Place] { heldPlaces.newest(in: tree) }

  private mutating func announce(from first: Int, limit: Int) {
    let heads = tree.vector.heads.dropFirst(first).map(SyncPoint.init)
    let room = limit - message.encoded().count - 64
    let part = heads.prefix(max(1, room / SyncPoint.maxBytes))
    message.vector = SyncMessage.Vector(
      heads: Array(part), remaining: heads.count - part.count)
  }

  /// Adds locators for the replicas of dropped runs, to show what this log holds of them.
  private mutating func locate(_ dropped: [ReplicaReference], lookup: inout IDLookup) {
    var seen: Set<ReplicaReference> = []
    for reference in dropped where seen.insert(reference).inserted {
      guard message.locators.count < SyncLocator.maxCount else { break }
      // The newest branches. If there are more, some events that both hold are sent unnecessarily.
      let branches = tree.branches(of: reference).suffix(SyncLocator.maxCount)
      var locators = branches.map {
        lookup.locator(
          from: Place(branch: $0.index, sequence: $0.headSequence.rawValue),
          reference: reference, in: tree)
      }
      if locators.isEmpty {
        locators = [SyncLocator(replica: reference, sequence: 0, suffixes: [])]
      }
      message.locators += locators
    }
    message.locators = SyncLocator.fitting(message.locators)
  }

  /// Sends the events that an initiator lacks, given its complete vector.
  ///
  /// If the vector names an event of a replica that is not held here, the initiator may be ahead or
  /// on another branch, so nothing of that replica is sent.
  private mutating func answer(_ vector: [SyncPoint], lookup: inout IDLookup) {
    var unknown: Set<UInt32> = []
    for point in vector {
      knownPrefixes.insert(point.prefix)
      if let place = lookup.place(of: point, in: tree) {
        coverage.cover(place, in: tree)
      } else {
        unknown.insert(point.prefix)
        heldPlaces += tree.branches(of: .prefix(point.prefix))
          .filter { $0.headSequence.rawValue < point.sequence }
          .map { Place(branch: $0.index, sequence: $0.headSequence.rawValue) }
      }
    }
    heldPlaces += coverage.places(in: tree)
    guard message.vector?.remaining == 0 else { return }
    let order = NewsOrder(lackedBy: coverage, in: tree, maxCount: SyncMessage.maxRuns) {
      // The vector has no closed heads: the initiator requests what it lacks of their branches.
      !$0.isClosed && !unknown.contains($0.replica.prefix)
    }
    for (branch, range) in order.ranges { add(branch, range) }
  }

  /// Sends the events between what the initiator holds and the heads it requests.
  ///
  /// Branches that are closed on the way are left out: the initiator may hold them, and requests
  /// them if not.
  private mutating func answer(_ request: SyncMessage.Request, lookup: inout IDLookup) {
    for locator in request.held {
      knownPrefixes.insert(locator.replica.prefix)
      if let place = lookup.place(of: locator, in: tree) { coverage.cover(place, in: tree) }
    }
    heldPlaces += coverage.places(in: tree)
    for target in request.targets {
      guard let place = lookup.place(of: target, in: tree) else { continue }
      for (branch, range) in coverage.missing(toward: place, in: tree) { add(branch, range) }
      coverage.cover(place, in: tree)
    }
  }

  private mutating func add(_ branch: Branch, _ range: ClosedRange<UInt64>) {
    ranges += tree.ranges(of: branch, range, knownPrefixes: knownPrefixes)
  }
}

extension SyncPoint {
  /// An upper bound of the bytes that a point takes in a column.
  static let maxBytes = 22
}
