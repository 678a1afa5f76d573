package import CarillonModel
internal import CarillonWire

/// The side that starts a sync: it requests events, sends what the peer lacks, and knows when both
/// sides are done.
///
/// Everything it learns is a fact about a log that only grows, so late, repeated and lost messages
/// do no harm. A second answer to the same message is ignored.
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
  /// The events wanted here for repair.
  var wants = OwnWants()
  /// The prefix of this side's state digest, if states are compared.
  private var state: SyncMessage.StatePrefix?
  /// The redacted events.
  ///
  /// They are wanted only if the peer derives another state from the same events.
  private var redacted: [WantedEvent] = []
  /// The protocol version in use.
  private(set) var version: UInt32
  /// Whether the two sides derived different dictionaries; neither uses any from then on.
  private(set) var isDictionaryUnknown = false
  /// Ends of appended runs that no message has acknowledged yet.
  var unacknowledged: [SyncPoint] = []
  /// The next request for heads.
  var request: SyncMessage.Request?
  /// The number of consecutive answers that should have brought events and did not.
  private var fruitless = 0
  /// Answers that brought only a few of the requested events, minus those that brought many.
  private var sparse = 0
  /// The number of consecutive answers that should have confirmed events and did not.
  private var unconfirmedAnswers = 0
  /// How often all unanswered messages were sent again since the last answer.
  private var repeats = 0
  /// The number of consecutive messages from the peer that made no progress.
  private var vain = 0
  /// A description of the last message, if it was ignored.
  private var ignored: String?

  enum Phase: Sendable {
    /// Waits for a message.
    case idle
    /// Waits for the digest of the state.
    case digesting
    /// Waits for the list of events wanted here.
    case wanting
    /// Looks up the dictionary of an answer.
    case opening(SyncMessage, SyncMessage.DictionaryReference, Flight.Question)
    /// Looks up the IDs that the runs of an answer and the next request need.
    case receiving(Answer)
    /// Waits for the log to append.
    case appending(Answer, RunIntake)
    /// Looks up the IDs that the rest of the answer and the next request need.
    case resolving(Answer, RunIntake, hasGrown: Bool, hasRepaired: Bool)
    /// Waits for events to be read for a message.
    case reading(SyncMessage, wantedCount: Int)
    /// Waits for the dictionaries of a message.
    case choosing(DictionarySearch)
    /// Both sides hold what the other announced.
    case finished
  }

  private static let maxFruitless = 3
  // A message may be nearly empty before a large event, but not many messages in a row.
  private static let maxSparse = 64
  private static let maxRepeats = 8
  /// One lost message makes the peer drop the rest of the window.
  private static let maxUnconfirmed = 64
  /// Everything in flight may be answered as often as it is repeated.
  private var maxVain: Int { Self.maxUnconfirmed + Self.maxRepeats * options.window }

  /// Creates an initiator for a log.
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

  /// Returns an error that also names the last ignored answer: a peer that answers is not silent.
  package func explaining(_ error: SyncError) -> SyncError {
    guard let ignored, [.unreachable, .noProgress].contains(error.code) else { return error }
    return SyncError(
      code: error.code, message: "\(error.message); the peer's last answer was ignored: \(ignored)",
      cause: error.cause)
  }

  /// The progress of the sync.
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
    case (.opening(let message, let dictionary, let question), .collected(let found)):
      return try open(message, question, with: dictionary.table(found))
    case (.opening, .identified(let ids)), (.receiving, .identified(let ids)),
      (.resolving, .identified(let ids)):
      lookup.answer(ids)
      return try advance()
    case (.appending(let answer, let intake), .appended(let outcomes, let log)):
      tree = BranchTree(log.branches)
      identity = log.identity
      peer.grow(to: log.branches.count)
      tally.received(outcomes, missingCount: intake.missingCount(outcomes))
      let repaired = intake.repaired(outcomes)
      resolveWants(answer, repaired: repaired, held: intake.held(outcomes))
      phase = .resolving(
        answer, intake.accepted(outcomes), hasGrown: outcomes.eventCount > 0,
        hasRepaired: answer.hasRepairedThere || !repaired.isEmpty)
      return try advance()
    case (.reading(let message, let wantedCount), .read(let runs)):
      guard wantedCount == 0,
        let search = DictionarySearch(for: message, runs: runs, places: dictionaryPlaces)
      else {
        return try send(
          message, with: runs, wantedCount: wantedCount, dictionary: IdentifierTable())
      }
      phase = .choosing(search)
      return [.collect(search.places)]
    case (.choosing(let search), .collected(let found)):
      let (message, table) = search.result(found, in: tree)
      return try send(message, with: search.runs, wantedCount: 0, dictionary: table)
    case (.finished, .message), (.finished, .quiet):
      return []
    default:
      preconditionFailure("an initiator received a result that it did not request")
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
    // An audit takes time, so the peer starts its own immediately.
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

  /// The number of heads up to which a vector is shorter than a digest.
  private static let maxHelloHeads = 2

  private mutating func repeatUnanswered() throws(SyncError) -> [SyncAction] {
    repeats += 1
    guard repeats <= Self.maxRepeats else {
      throw explaining(
        SyncError(
          code: .unreachable, message: "no answer after \(Self.maxRepeats + 1) attempts"))
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
          message: "\(vain) consecutive messages from the peer made no progress"))
    }
    do {
      let message = try SyncMessage(bytes: bytes)
      if let refusal = message.refusals.first(where: { !$0.code.isAboutRun }) {
        return try receive(refusal)
      }
      guard message.equal.isEmpty else { return try receiveEqual(message) }
      guard let question = flight.answer(message.number) else {
        return ignore("it answers message \(message.number), which is not open")
      }
      (repeats, ignored) = (0, nil)
      lookup = IDLookup()
      peer.limit = min(options.maxMessageBytes, message.limit)
      if message.isDictionaryUnknown { isDictionaryUnknown = true }
      guard let dictionary = message.dictionary else {
        return try open(message, question, with: IdentifierTable())
      }
      guard !question.excludesDictionary else {
        throw SyncError(
          code: .malformed, message: "the peer used a dictionary that it was asked not to use")
      }
      phase = .opening(message, dictionary, question)
      return try advance()
    } catch let error as ModelError {
      throw SyncError(error)
    } catch let error as SyncError {
      throw error
    } catch {
      throw SyncError(code: .malformed, message: "\(error)", cause: error)
    }
  }

  /// Decodes the runs of an answer.
  ///
  /// - Parameter table: The identifiers that are sent by number; nil if this side derives other
  ///   ones. The answer then counts as one without events.
  private mutating func open(
    _ message: SyncMessage, _ question: Flight.Question, with table: IdentifierTable?
  ) throws(SyncError) -> [SyncAction] {
    if table == nil { isDictionaryUnknown = true }
    do {
      let runs = try table.map { table throws(ModelError) in
        try MessageComposer.runs(of: message, limit: options.maxMessageBytes, dictionary: table)
      }
      phase = .receiving(
        Answer(message: message, runs: runs ?? [], question: question, isRead: table != nil))
    } catch {
      throw SyncError(error)
    }
    return try advance()
  }

  private mutating func ignore(_ reason: String) -> [SyncAction] {
    ignored = reason
    return []
  }

  /// Handles the answer that both logs are equal.
  ///
  /// It is ignored if it answers a second copy of the hello, or if the log has grown since the
  /// hello.
  private mutating func receiveEqual(_ answer: SyncMessage) throws(SyncError) -> [SyncAction] {
    guard answer.number == 0, answer.equal == Array(tree.vector.digest.prefix(4)),
      let hello = flight.answer(0)
    else { return ignore("it reports equal logs, but its digest does not match this log") }
    (repeats, ignored) = (0, nil)
    if !hello.wanted.isEmpty {
      wants.resolve(came: [], repaired: [], held: [], hasRepairedThere: false)
    }
    peer.equal(tree)
    return try pump()
  }

  /// Handles a refusal of the session: ends, or starts again with a version that the peer speaks.
  private mutating func receive(_ refusal: SyncRefusal) throws(SyncError) -> [SyncAction] {
    guard refusal.code == .version, flight.hasHello else { throw SyncError(refusal) }
    // A late refusal may name a version that is no longer in use.
    guard refusal.number == version else {
      return ignore("it refuses version \(refusal.number), which is not the current one")
    }
    guard refusal.limit < version, let spoken = UInt32(exactly: refusal.limit),
      options.versions.contains(spoken)
    else { throw SyncError(refusal) }
    version = spoken
    wants.takeBack()
    flight.restart()
    return [hello()]
  }

  /// Continues with the known IDs, and requests more if they are not enough.
  private mutating func advance() throws(SyncError) -> [SyncAction] {
    switch phase {
    case .opening(let message, let dictionary, let question):
      let place = lookup.place(of: dictionary.end, in: tree)
      if let places = lookup.takeMissing() { return [.identify(places)] }
      guard let place else { return try open(message, question, with: nil) }
      return [.collect([place])]
    case .receiving(let answer):
      return try resolve(answer)
    case .resolving(let answer, let intake, let hasGrown, let hasRepaired):
      return try resolve(answer, intake, hasGrown: hasGrown, hasRepaired: hasRepaired)
    case .idle, .digesting, .wanting, .appending, .reading, .choosing, .finished:
      preconditionFailure("an initiator continued while it was waiting")
    }
  }

  /// Verifies the runs of an answer.
  ///
  /// If heads are still missing, requests them immediately, so that the peer reads while this side
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
      phase = .resolving(answer, intake, hasGrown: false, hasRepaired: answer.hasRepairedThere)
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

  /// Evaluates the rest of an answer, and prepares the next request.
  private mutating func resolve(
    _ answer: Answer, _ intake: RunIntake, hasGrown: Bool, hasRepaired: Bool
  ) throws(SyncError) -> [SyncAction] {
    var next = peer
    let message = answer.message
    if let vector = message.vector {
      try next.announce(vector, asked: answer.question.vectorFrom ?? 0)
    } else if answer.question.vectorFrom != nil {
      throw SyncError(
        code: .malformed, message: "the peer did not return the requested version vector")
    }
    acknowledge(answer, hasRepaired: hasRepaired, in: &next)
    relocate(answer, in: &next)
    try next.wants.take(
      message.wanted, remaining: answer.question.namesWanted ? message.wantedRemaining : nil,
      // If the states differ, the peer wants its redacted events too.
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
    let isFruitless = !answer.question.targets.isEmpty && !isFruitful && answer.isRead
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

  /// Stores what was concluded; no later step runs twice.
  private mutating func commit(
    _ next: Peer, request: SyncMessage.Request?, answer: Answer, intake: RunIntake,
    hasProgress: Bool, isFruitless: Bool
  ) throws(SyncError) {
    for refusal in answer.refusals(in: intake) { tally.refused(refusal.text) }
    for refusal in answer.refusals { tally.refused("the peer: \(refusal.words)") }
    for prefix in next.abandoned.subtracting(peer.abandoned) { tally.abandoned(prefix) }
    // What was given up is not sent again, so this answer cannot repeat forever.
    let hasConfirmed =
      tally.confirmed(next.eventsSent) || next.givenUpCount > peer.givenUpCount
    // Each wanted event is requested a bounded number of times, so these answers are bounded too.
    let hasWanted = !answer.question.wanted.isEmpty || answer.question.asksForWanted
    if hasProgress || hasConfirmed || hasWanted { vain = 0 }
    let hasNews = answer.question.runs.contains { !$0.isWanted }
    unconfirmedAnswers = hasConfirmed || !hasNews ? 0 : unconfirmedAnswers + 1
    guard unconfirmedAnswers <= Self.maxUnconfirmed else {
      throw SyncError(
        code: .noProgress,
        message: "the peer confirmed none of \(unconfirmedAnswers) messages with new events")
    }
    guard tally.eventsReceived <= next.announcedEvents else {
      throw SyncError(
        code: .malformed,
        message: "the peer sent \(tally.eventsReceived) events; the heads that it announced "
          + "allow at most \(next.announcedEvents)")
    }
    compare(answer)
    let isSparse = answer.isSparse(limit: next.limit) && next.expectedCount == peer.expectedCount
    sparse = isSparse ? sparse + 1 : max(0, sparse - 1)
    guard sparse <= Self.maxSparse else {
      throw SyncError(
        code: .noProgress,
        message: "the peer sent the requested events in \(sparse) answers with no head and less "
          + "than a quarter of a message each")
    }
    fruitless = isFruitless ? fruitless + 1 : 0
    unacknowledged += intake.ends
    self.request = request
    peer = next
    phase = .idle
  }

  /// Compares the states of both sides if both hold the same events.
  private mutating func compare(_ answer: Answer) {
    let vector = answer.message.vector
    guard answer.message.number == 0, let state, let theirs = answer.message.state,
      theirs.differs(from: state), vector?.remaining == 0,
      vector.map({ Set($0.heads) }) == tree.points
    else { return }
    tally.stateDiffers()
    // Only different states reveal a redaction that names an erasing event with another meaning.
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
}
