package import CarillonModel
internal import CarillonWire

/// The side that leads: it asks, sends what the other lacks, and knows when both are done.
///
/// All it learns is facts about a log that only grows, so late, repeated and lost messages do no
/// harm. An answer to a message that was answered before is ignored.
package struct SyncInitiator: SyncSession {
  let store: StoreID
  let options: SyncOptions
  /// The log's ReplicaID before the sync.
  private let firstReplica: ReplicaID
  private(set) var identity: ReplicaIdentity
  var tree: BranchTree
  var peer: Peer
  var flight = Flight()
  var lookup = IDLookup()
  var composer: MessageComposer
  var phase = Phase.idle
  var tally: SyncTally
  /// What is wanted here once more.
  var wants = OwnWants()
  /// What the state digest here begins with, where it is compared.
  private var state: SyncMessage.StatePrefix?
  /// The redacted events, which are wanted only where the other side reads another state out of the
  /// same events.
  private var redacted: [WantedEvent] = []
  /// The version that is spoken.
  private(set) var version: UInt32
  /// Ends of appended runs that no message has acknowledged yet.
  var unacknowledged: [SyncPoint] = []
  /// The next request for heads.
  var request: SyncMessage.Request?
  /// Answers in a row that should have brought events and did not.
  private var fruitless = 0
  /// Answers that brought a few of the events that were asked for, beyond those that brought many.
  private var sparse = 0
  /// Answers in a row that should have confirmed events and did not.
  private var unconfirmed = 0
  /// How often everything unanswered was sent again since the last answer.
  private var repeats = 0
  /// Messages in a row that brought nothing, whatever they are answers to.
  private var vain = 0
  /// What the last message was, where it was ignored.
  private var ignored: String?

  enum Phase: Sendable {
    /// Waits for a message.
    case idle
    /// Waits for the digest of the state.
    case digesting
    /// Waits to know what is wanted here.
    case wanting
    /// Looks up what the runs of an answer, and the next request, need.
    case receiving(Answer)
    /// Waits for the log to append.
    case appending(Answer, RunIntake)
    /// Looks up what the answer's news and the next request need.
    case unconfirmed(Answer, RunIntake, hasGrown: Bool, hasRepaired: Bool)
    /// Waits for events to be read for a message.
    case reading(SyncMessage, wantedCount: Int)
    /// Both hold what the other announced.
    case finished
  }

  /// An answer and what it is an answer to.
  struct Answer: Sendable {
    let message: SyncMessage
    let runs: [SyncRun]
    let question: Flight.Question
  }

  private static let maxFruitless = 3
  /// Before a large event a message may be nearly empty, but not one message after the other.
  private static let maxSparse = 64
  private static let maxRepeats = 8
  /// One message that gets lost makes the rest of the window arrive in vain.
  private static let maxUnconfirmed = 64
  /// All that is in flight may be answered as often as it is repeated.
  private var maxVain: Int { Self.maxUnconfirmed + Self.maxRepeats * options.window }

  /// Makes an initiator of a log.
  package init(store: StoreID, log: LogSnapshot, options: SyncOptions) {
    self.store = store
    self.options = options
    firstReplica = log.identity.replica
    identity = log.identity
    tree = BranchTree(log.branches)
    peer = Peer(limit: options.maxMessageBytes, branchCount: log.branches.count)
    composer = MessageComposer(options: options)
    version = options.versions.upperBound
    tally = SyncTally(branches: log.branches)
  }

  /// A failure, with the answer that was ignored before it: a side that answers is not silent.
  package func explaining(_ error: SyncError) -> SyncError {
    guard let ignored, [.unreachable, .noProgress].contains(error.code) else { return error }
    return SyncError(
      code: error.code, message: "\(error.message); its last answer was ignored: \(ignored)",
      cause: error.cause)
  }

  /// How far the sync is.
  package var progress: SyncProgress { tally.progress(of: peer, in: tree) }

  package mutating func handle(_ input: SyncInput) throws(SyncError) -> [SyncAction] {
    switch (phase, input) {
    case (.idle, .start):
      return try start()
    case (.digesting, .digested(let digest)):
      state = digest.map(SyncMessage.StatePrefix.init)
      return findWanted()
    case (.wanting, .wanted(let events)):
      phase = .idle
      wants.want(events.filter { $0.reason != .redacted }, in: tree)
      redacted = events.filter { $0.reason == .redacted }
      return flight.isEmpty ? [hello()] : []
    case (.idle, .message(let bytes)):
      return try receive(bytes)
    case (.idle, .quiet):
      return try repeatUnanswered()
    case (.receiving, .identified(let ids)), (.unconfirmed, .identified(let ids)):
      lookup.answer(ids)
      return try advance()
    case (.appending(let answer, let intake), .appended(let outcomes, let log)):
      tree = BranchTree(log.branches)
      identity = log.identity
      peer.grow(to: log.branches.count)
      tally.received(outcomes, missingCount: intake.missingCount(outcomes))
      let repaired = intake.repaired(outcomes)
      resolveWants(answer, repaired: repaired, held: intake.held(outcomes))
      phase = .unconfirmed(
        answer, intake.accepted(outcomes), hasGrown: outcomes.eventCount > 0,
        hasRepaired: answer.hasRepairedThere || !repaired.isEmpty)
      return try advance()
    case (.reading(let message, let wantedCount), .read(let runs)):
      phase = .idle
      return try send(message, with: runs, wantedCount: wantedCount)
    case (.finished, .message), (.finished, .quiet):
      return []
    default:
      preconditionFailure("an initiator was given a result it did not ask for")
    }
  }

  private mutating func start() throws(SyncError) -> [SyncAction] {
    guard tree.openCount <= SyncMessage.maxHeads else {
      throw .tooManyHeads(tree.openCount)
    }
    guard options.audits || options.comparesStates else { return findWanted() }
    phase = .digesting
    return [.digestState]
  }

  private mutating func findWanted() -> [SyncAction] {
    phase = .wanting
    // An audit takes its time: the other side begins its own at once.
    let hello = options.audits ? [hello()] : []
    return hello + [.findWanted(audit: options.audits, redacted: options.audits)]
  }

  private mutating func hello() -> SyncAction {
    var hello = skeleton()
    hello.audit = options.audits
    hello.state = state
    hello.wanted = wants.next
    if tree.openCount <= Self.maxHelloHeads {
      hello.vector = SyncMessage.Vector(heads: tree.vector.heads.map(SyncPoint.init))
    } else {
      hello.digest = Array(tree.vector.digest.prefix(16))
    }
    return post(hello)
  }

  /// A digest is shorter than more heads than this.
  private static let maxHelloHeads = 2

  private mutating func repeatUnanswered() throws(SyncError) -> [SyncAction] {
    repeats += 1
    guard repeats <= Self.maxRepeats else {
      throw explaining(
        SyncError(
          code: .unreachable, message: "no answer, though asked \(Self.maxRepeats + 1) times"))
    }
    return flight.unanswered.map { bytes in
      tally.sent(bytes)
      return .send(bytes)
    }
  }
}

// MARK: - Receiving

extension SyncInitiator {
  private mutating func receive(_ bytes: [UInt8]) throws(SyncError) -> [SyncAction] {
    tally.received(bytes)
    guard bytes.count <= options.maxMessageBytes else {
      throw .tooLarge(bytes.count, limit: options.maxMessageBytes)
    }
    vain += 1
    guard vain <= maxVain else {
      throw explaining(
        SyncError(
          code: .noProgress,
          message: "the other side answers, but \(vain) messages in a row brought nothing"))
    }
    let answer: Answer
    do {
      let message = try SyncMessage(bytes: bytes)
      if let refusal = message.refusals.first(where: { !$0.code.isAboutRun }) {
        return try receive(refusal)
      }
      guard message.equal.isEmpty else { return try receiveEqual(message) }
      guard let question = flight.answer(message.number) else {
        return ignore("it is to message \(message.number), for which no answer is due")
      }
      let runs = try MessageComposer.runs(of: message, limit: options.maxMessageBytes)
      answer = Answer(message: message, runs: runs, question: question)
    } catch let error as ModelError {
      throw SyncError(error)
    } catch let error as SyncError {
      throw error
    } catch {
      throw SyncError(code: .malformed, message: "\(error)", cause: error)
    }
    (repeats, ignored) = (0, nil)
    lookup = IDLookup()
    peer.limit = min(options.maxMessageBytes, answer.message.limit)
    phase = .receiving(answer)
    return try advance()
  }

  private mutating func ignore(_ reason: String) -> [SyncAction] {
    ignored = reason
    return []
  }

  /// Ends what a hello began; an Equal to a second copy of it, or about a log that has grown since,
  /// is from another time.
  private mutating func receiveEqual(_ answer: SyncMessage) throws(SyncError) -> [SyncAction] {
    guard answer.number == 0, answer.equal == Array(tree.vector.digest.prefix(4)),
      let hello = flight.answer(0)
    else { return ignore("it says that both are equal, but not to what this side holds") }
    (repeats, ignored) = (0, nil)
    if !hello.wanted.isEmpty {
      wants.resolve(came: [], repaired: [], held: [], hasRepairedThere: false)
    }
    peer.equal(tree)
    return try pump()
  }

  /// Ends, or begins again with a version that the other side speaks.
  private mutating func receive(_ refusal: SyncRefusal) throws(SyncError) -> [SyncAction] {
    guard refusal.code == .version, flight.hasHello else { throw SyncError(refusal) }
    // One that is late is about a version that is not spoken any more.
    guard refusal.number == version else {
      return ignore("it refuses version \(refusal.number), which was not asked for last")
    }
    guard refusal.limit < version, let spoken = UInt32(exactly: refusal.limit),
      options.versions.contains(spoken)
    else { throw SyncError(refusal) }
    version = spoken
    wants.takeBack()
    flight.restart()
    return [hello()]
  }

  /// Goes on with what is known; asks where that is not enough.
  private mutating func advance() throws(SyncError) -> [SyncAction] {
    switch phase {
    case .receiving(let answer):
      return try resolve(answer)
    case .unconfirmed(let answer, let intake, let hasGrown, let hasRepaired):
      return try resolve(answer, intake, hasGrown: hasGrown, hasRepaired: hasRepaired)
    case .idle, .digesting, .wanting, .appending, .reading, .finished:
      preconditionFailure("an initiator went on while it waited")
    }
  }

  /// Verifies the runs of an answer.
  ///
  /// Where more is to come, asks for it at once, so that the other side reads while this one
  /// appends.
  private mutating func resolve(_ answer: Answer) throws(SyncError) -> [SyncAction] {
    let previous = RunIntake.previous(of: answer.runs, in: tree, lookup: &lookup)
    let taken = identity.taken(since: firstReplica)
    let unheld = RunIntake.unheld(answer.runs, of: taken, in: tree, lookup: &lookup)
    let ends = answer.runs.map(\.end)
    let left = answer.question.targets.filter { !ends.contains($0) }
    let next = peer.request(for: left, ends: ends, in: tree, lookup: &lookup)
    if let places = lookup.takeMissing() { return [.identify(places)] }
    let intake = RunIntake(answer.runs, previous: previous, ownReplica: (taken, unheld))
    guard !intake.runs.isEmpty else {
      resolveWants(answer, repaired: [], held: [])
      phase = .unconfirmed(answer, intake, hasGrown: false, hasRepaired: answer.hasRepairedThere)
      return try advance()
    }
    phase = .appending(answer, intake)
    var actions: [SyncAction] = []
    let isClean = intake.runs.count == answer.runs.count && !intake.closesBranches
    if isClean, !left.isEmpty, flight.count < options.window {
      var message = skeleton()
      message.request = next
      actions = [post(message)]
    }
    return actions + [.append(intake.runs)]
  }

  /// Takes in what an answer says, and makes the next request.
  private mutating func resolve(
    _ answer: Answer, _ intake: RunIntake, hasGrown: Bool, hasRepaired: Bool
  ) throws(SyncError) -> [SyncAction] {
    var next = peer
    let message = answer.message
    if let vector = message.vector {
      try next.announce(vector, asked: answer.question.vectorFrom ?? 0)
    } else if answer.question.vectorFrom != nil {
      throw SyncError(
        code: .malformed, message: "the other side was asked for its vector and gave none")
    }
    acknowledge(answer, hasRepaired: hasRepaired, in: &next)
    relocate(answer, in: &next)
    try next.wants.take(
      message.wanted, remaining: answer.question.namesWanted ? message.wantedRemaining : nil,
      // Where the states differ it wants its redacted events too.
      areDamaged: options.audits && message.state == nil, in: tree, lookup: &lookup)
    for point in intake.ends {
      if let place = lookup.place(of: point, in: tree) { next.hold(place, in: tree) }
    }
    if answer.runs.isEmpty { next.recheck(answer.question.targets) }
    next.resolve(intake, in: tree, lookup: &lookup)
    next.expect(
      intake.closed.filter {
        lookup.place(
          of: .full($0.replica), at: $0.sequence.rawValue, suffix: $0.id.suffix, in: tree) == nil
      })
    for refusal in answer.refusals(in: intake) {
      let run = answer.runs[refusal.run]
      if refusal.code == .headsFull {
        next.giveUp(
          run.end, targets: answer.question.targets, ends: intake.ends)
      } else {
        next.abandon(run.replica.prefix)
      }
    }
    let isFruitful =
      hasGrown || next.knows(moreThan: peer) || next.givenUpCount > peer.givenUpCount
      || next.expectedCount > peer.expectedCount
    let isFruitless = !answer.question.targets.isEmpty && !isFruitful
    if isFruitless, fruitless + 1 >= Self.maxFruitless {
      for target in answer.question.targets { next.abandon(target.prefix) }
    }
    let targets = next.targets
    let request =
      targets.isEmpty || flight.hasTargets || !next.isAnnounced
      ? nil : next.request(for: targets, ends: [], in: tree, lookup: &lookup)
    if let places = lookup.takeMissing() { return [.identify(places)] }
    try commit(
      next, request: request, answer: answer, intake: intake,
      hasProgress: isFruitful || hasRepaired,
      isFruitless: isFruitless)
    return try pump()
  }

  /// Makes what was concluded the state; from here on nothing is run twice.
  private mutating func commit(
    _ next: Peer, request: SyncMessage.Request?, answer: Answer, intake: RunIntake,
    hasProgress: Bool, isFruitless: Bool
  ) throws(SyncError) {
    for refusal in answer.refusals(in: intake) { tally.refused(refusal.text) }
    for refusal in answer.refusals { tally.refused("the other side: \(refusal.words)") }
    for prefix in next.abandoned.subtracting(peer.abandoned) { tally.abandoned(prefix) }
    // What is given up is not sent again, so that no answer like this one follows.
    let hasConfirmed =
      tally.confirmed(next.eventsSent) || next.givenUpCount > peer.givenUpCount
    // What is wanted is asked for once, so that an answer in vain is one less to come.
    let hasWanted = !answer.question.wanted.isEmpty || answer.question.asksForWanted
    if hasProgress || hasConfirmed || hasWanted { vain = 0 }
    let hasNews = answer.question.runs.contains { !$0.isWanted }
    unconfirmed = hasConfirmed || !hasNews ? 0 : unconfirmed + 1
    guard unconfirmed <= Self.maxUnconfirmed else {
      throw SyncError(
        code: .noProgress,
        message: "the other side answers, but confirmed none of \(unconfirmed) messages")
    }
    guard tally.eventsReceived <= next.announcedEvents else {
      throw SyncError(
        code: .malformed,
        message: "the other side sent \(tally.eventsReceived) events, more than lie under the "
          + "heads that it announced")
    }
    compare(answer)
    let isSparse = answer.isSparse(limit: next.limit) && next.expectedCount == peer.expectedCount
    sparse = isSparse ? sparse + 1 : max(0, sparse - 1)
    guard sparse <= Self.maxSparse else {
      throw SyncError(
        code: .noProgress,
        message: "the other side gives the events that it is asked for in \(sparse) answers of a "
          + "few bytes each, and no head among them")
    }
    fruitless = isFruitless ? fruitless + 1 : 0
    unacknowledged += intake.ends
    self.request = request
    peer = next
    phase = .idle
  }

  /// Compares the states of both sides, where both hold the same events.
  private mutating func compare(_ answer: Answer) {
    let vector = answer.message.vector
    guard answer.message.number == 0, let state, let theirs = answer.message.state,
      theirs.differs(from: state), vector?.remaining == 0,
      vector.map({ Set($0.heads) }) == tree.points
    else { return }
    tally.stateDiffers()
    // A redaction that names a held erasure which means something else shows only now.
    wants.want(redacted, in: tree)
    redacted = []
  }

  private mutating func resolveWants(
    _ answer: Answer, repaired: [SyncPoint], held: [SyncPoint]
  ) {
    guard !answer.question.wanted.isEmpty else { return }
    wants.resolve(
      came: answer.runs.map(\.end), repaired: repaired, held: held,
      hasRepairedThere: answer.hasRepairedThere)
  }

  private func acknowledge(_ answer: Answer, hasRepaired: Bool, in peer: inout Peer) {
    let acknowledged = Set(answer.message.acknowledged)
    let refused = Dictionary(
      answer.message.refusals.map { ($0.run, $0.code) }, uniquingKeysWith: { one, _ in one })
    for (index, run) in answer.question.runs.enumerated() {
      if run.isWanted {
        peer.wants.answer(
          run, isAcknowledged: acknowledged.contains(run.end), hasRepaired: hasRepaired)
      } else if acknowledged.contains(run.end) {
        peer.hold(run.place, in: tree)
      } else if let code = refused[index] {
        if code == .headsFull {
          peer.refuseBranch(run.place.branch)
        } else {
          peer.abandon(run.end.prefix)
        }
      } else {
        peer.lose(run.place.branch, from: run.firstSequence)
      }
    }
  }

  /// Locators stand for news that were dropped; what else they say is not asked for.
  private mutating func relocate(_ answer: Answer, in peer: inout Peer) {
    let sent = Set(answer.question.runs.lazy.filter { !$0.isWanted }.map(\.end.prefix))
    let locators = answer.message.locators.filter { sent.contains($0.replica.prefix) }
    for (replica, locators) in Dictionary(grouping: locators, by: \.replica) {
      peer.relocate(replica, locators: locators, in: tree, lookup: &lookup)
    }
  }
}

extension SyncInitiator.Answer {
  /// Whether what the other side wanted arrived there.
  fileprivate var hasRepairedThere: Bool {
    let acknowledged = Set(message.acknowledged)
    return question.runs.contains { $0.isWanted && acknowledged.contains($0.end) }
  }

  /// Whether it brings events that were asked for, but neither a head among them nor a quarter of
  /// what a message holds.
  fileprivate func isSparse(limit: Int) -> Bool {
    guard !question.targets.isEmpty, !runs.isEmpty,
      !question.targets.contains(where: { target in runs.contains { $0.end == target } })
    else { return false }
    let size = runs.reduce(0) { sum, run in
      run.lengths.reduce(sum) { $0 + SyncRun.maxBytes(ofPayload: Int($1)) }
    }
    return size < limit / 4 && runs.count < SyncMessage.maxRuns / 2
  }

  /// Runs refused here, but for what was wanted once more: that is damaged there too.
  fileprivate func refusals(in intake: RunIntake) -> [SyncRefusal] {
    intake.refusals.filter { !OwnWants.isAnswer(runs[$0.run], to: question.wanted) }
  }

  /// Runs refused there, but for what was wanted once more: that is damaged here too.
  fileprivate var refusals: [SyncRefusal] {
    message.refusals.filter {
      !question.runs.indices.contains($0.run) || !question.runs[$0.run].isWanted
    }
  }
}
