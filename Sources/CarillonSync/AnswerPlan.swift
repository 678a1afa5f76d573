internal import CarillonModel
internal import CarillonWire

/// What a responder says to one message, but for the events; and which events it sends.
struct AnswerPlan: Sendable {
  private let tree: BranchTree
  private let limit: Int
  private(set) var message = SyncMessage()
  private(set) var ranges: [BranchRange] = []
  /// Replicas that the initiator has shown to know.
  private var knownPrefixes: Set<UInt32> = []
  /// What the initiator has shown to hold.
  private var coverage: Coverage

  /// The rest is refused when it comes again.
  private static let maxRefusals = 16

  init(tree: BranchTree, options: SyncOptions) {
    self.tree = tree
    limit = options.maxMessageBytes
    coverage = Coverage(branchCount: tree.branches.count)
  }

  /// Names what is wanted here.
  mutating func want(_ points: [SyncPoint]) {
    message.wanted = Array(points.prefix(SyncMessage.maxWanted))
    message.wantedRemaining = points.count - message.wanted.count
  }

  /// Says what the state digest here begins with.
  mutating func say(_ state: SyncMessage.StatePrefix?) {
    message.state = state
  }

  /// Makes the answer, as far as the IDs are known.
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
    // What is cut off here is asked for again.
    ranges = Array(ranges.prefix(SyncMessage.maxRuns))
  }

  /// Events of one's own name that came from elsewhere make a log take a new one; the initiator
  /// must hear of it, also when it asks twice.
  private func concernsIdentity(_ intake: RunIntake, _ identity: ReplicaIdentity) -> Bool {
    intake.runs.contains { $0.replica == identity.replica || $0.replica == identity.predecessor }
  }

  private mutating func announce(from first: Int, limit: Int) {
    let heads = tree.vector.heads.dropFirst(first).map(SyncPoint.init)
    let room = limit - message.encoded().count - 64
    let part = heads.prefix(max(1, room / SyncPoint.maxBytes))
    message.vector = SyncMessage.Vector(
      heads: Array(part), remaining: heads.count - part.count)
  }

  /// What is held in place of what the runs go on from.
  private mutating func locate(_ dropped: [ReplicaReference], lookup: inout IDLookup) {
    var seen: Set<ReplicaReference> = []
    for reference in dropped where seen.insert(reference).inserted {
      guard message.locators.count < SyncLocator.maxCount else { break }
      // The newest: where there are more, what the others share is sent in vain.
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

  /// Sends what an initiator lacks that named all it holds.
  ///
  /// Where it named an event that is not held here, it may be ahead or on another line: nothing is
  /// concluded.
  private mutating func answer(_ vector: [SyncPoint], lookup: inout IDLookup) {
    var unknown: Set<UInt32> = []
    for point in vector {
      knownPrefixes.insert(point.prefix)
      if let place = lookup.place(of: point, in: tree) {
        coverage.cover(place, in: tree)
      } else {
        unknown.insert(point.prefix)
      }
    }
    guard message.vector?.remaining == 0 else { return }
    let order = NewsOrder(lackedBy: coverage, in: tree, maxCount: SyncMessage.maxRuns) {
      // What is closed is in no vector: the initiator asks for what it lacks of that.
      !$0.isClosed && !unknown.contains($0.replica.prefix)
    }
    for (branch, range) in order.ranges { add(branch, range) }
  }

  /// Sends what lies between what is held and what is asked for.
  ///
  /// Not what is closed on the way, which the initiator may well hold: it asks for what it lacks.
  private mutating func answer(_ request: SyncMessage.Request, lookup: inout IDLookup) {
    for locator in request.held {
      knownPrefixes.insert(locator.replica.prefix)
      if let place = lookup.place(of: locator, in: tree) { coverage.cover(place, in: tree) }
    }
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
  /// An upper bound of what a point takes in a column.
  static let maxBytes = 22
}
