package import CarillonModel
internal import CarillonWire

/// The side that answers.
///
/// It keeps nothing between messages: each can be answered from the log alone, so repeated and lost
/// messages have no effect.
///
/// Before each message, the caller provides the current log with ``refresh(_:)``.
package struct SyncResponder: SyncSession {
  private let store: StoreID
  private let options: SyncOptions
  /// The log's ReplicaID before the first message of the transport.
  private let firstReplica: ReplicaID
  /// The log as the session knows it.
  package private(set) var log: LogSnapshot
  private var tree: BranchTree
  private var lookup = IDLookup()
  private var composer: MessageComposer
  private var phase = Phase.idle
  /// The events wanted here, if the message asks for them.
  private var wanted: [SyncPoint] = []
  /// The version of the message.
  private var version: UInt32 = 0
  /// Whether this side derives another dictionary than the message, whose events it cannot read.
  private var isDictionaryUnknown = false
  /// The prefix of this side's state digest, if the message compares states.
  private var state: SyncMessage.StatePrefix?
  /// The number of events appended for the initiator.
  package private(set) var eventsReceived = 0
  /// The number of held events that were repaired.
  package private(set) var eventsRepaired = 0
  /// The number of appended events that were received as their IDs alone.
  package private(set) var eventsMissing = 0
  /// The refused runs with new events, and the reasons.
  ///
  /// Refused repairs are not listed because they leave the event as it was; refused messages are
  /// not listed because the initiator tries again or gives up.
  package private(set) var refused: [String] = []

  private enum Phase: Sendable {
    /// Waits for a message.
    case idle
    /// Waits for the digest of the state.
    case digesting(SyncMessage)
    /// Waits for the list of events wanted here.
    case wanting(SyncMessage)
    /// Looks up the dictionary of a message.
    case opening(SyncMessage, SyncMessage.DictionaryReference)
    /// Looks up the events before the runs of a message.
    case receiving(SyncMessage, [SyncRun])
    /// Waits for the log to append.
    case appending(SyncMessage, [SyncRun], RunIntake)
    /// Looks up the IDs that the answer needs.
    case planning(SyncMessage, [SyncRun], RunIntake)
    /// Waits for events to be read for a message of at most `limit` bytes.
    /// A dictionary is looked for at `places`.
    case reading(SyncMessage, places: [Place], limit: Int)
    /// Waits for the dictionaries of a message of at most `limit` bytes.
    case choosing(DictionarySearch, limit: Int)
  }

  /// Creates a responder for a log.
  ///
  /// - Parameter firstReplica: The log's ReplicaID before the first message of the transport; nil
  ///   if it is the current one.
  package init(
    store: StoreID, log: LogSnapshot, options: SyncOptions, firstReplica: ReplicaID? = nil
  ) {
    self.store = store
    self.options = options
    self.firstReplica = firstReplica ?? log.identity.replica
    self.log = log
    tree = BranchTree(log.branches)
    composer = MessageComposer(options: options)
  }

  /// Updates the responder to the current log.
  package mutating func refresh(_ log: LogSnapshot) {
    self.log = log
    tree = BranchTree(log.branches)
  }

  package mutating func handle(_ input: SyncInput) throws(SyncError) -> [SyncAction] {
    switch (phase, input) {
    case (.idle, .message(let bytes)):
      return receive(bytes)
    case (.digesting(let message), .digested(let digest)):
      state = digest.map(SyncMessage.StatePrefix.init)
      return findWanted(message)
    case (.wanting(let message), .wanted(let events)):
      // An audit names damaged events; any other sync names missing and unconfirmed ones.
      wanted = events.filter {
        ($0.isDamaged == message.audit || $0.reason == .redacted) && $0.isIn(tree)
      }.map { $0.point(in: tree) }
      wanted = Array(wanted.dropFirst(message.wantedFrom))
      return resolve(message)
    case (.opening(let message, let dictionary), .collected(let found)):
      return open(message, with: dictionary.table(found))
    case (.opening, .identified(let ids)), (.receiving, .identified(let ids)),
      (.planning, .identified(let ids)):
      lookup.answer(ids)
      return advance()
    case (.appending(let message, let runs, let intake), .appended(let outcomes, let log)):
      refresh(log)
      eventsReceived += outcomes.eventCount
      eventsRepaired += outcomes.repairedCount
      eventsMissing += intake.missingCount(outcomes)
      phase = .planning(message, runs, intake.accepted(outcomes))
      return advance()
    case (.reading(let message, let places, let limit), .read(let runs)):
      let given = runs.filter { $0.run.count > 0 }
      guard let search = DictionarySearch(for: message, runs: given, places: places) else {
        return send(message, with: given, limit: limit, dictionary: IdentifierTable())
      }
      phase = .choosing(search, limit: limit)
      return [.collect(search.places)]
    case (.choosing(let search, let limit), .collected(let found)):
      let (message, table) = search.result(found, in: tree)
      return send(message, with: search.runs, limit: limit, dictionary: table)
    case (.idle, .quiet), (.idle, .start):
      return []
    default:
      preconditionFailure("a responder received a result that it did not request")
    }
  }
}

// MARK: - Receiving

extension SyncResponder {
  private mutating func receive(_ bytes: [UInt8]) -> [SyncAction] {
    lookup = IDLookup()
    guard bytes.count <= options.maxMessageBytes else {
      let limit = options.maxMessageBytes
      return refuse(
        0,
        SyncRefusal(
          code: .messageTooLarge, number: UInt64(bytes.count), limit: UInt64(limit),
          text: "a message of \(bytes.count) bytes; the limit is \(limit)"))
    }
    // The version is checked first, because later versions may have other limits.
    var number: UInt32 = 0
    let message: SyncMessage
    do {
      let envelope = try SyncMessage.Envelope(bytes: bytes)
      (number, version) = (envelope.number, envelope.version)
      if let refusal = refusal(of: envelope) { return refuse(number, refusal) }
      message = try SyncMessage(bytes: bytes)
    } catch {
      return refuse(number, SyncRefusal(code: .malformed, text: error.message))
    }
    guard number > 0 || message.isHello else {
      let text = "message 0 has neither vector nor digest"
      return refuse(0, SyncRefusal(code: .malformed, text: text))
    }
    (wanted, state, isDictionaryUnknown) = ([], nil, false)
    guard message.isHello || message.wantedFrom > 0 else { return resolve(message) }
    guard message.state != nil else { return findWanted(message) }
    phase = .digesting(message)
    return [.digestState]
  }

  private mutating func findWanted(_ message: SyncMessage) -> [SyncAction] {
    phase = .wanting(message)
    return [.findWanted(audit: message.audit, redacted: isOfAnotherState(message))]
  }

  /// Whether the initiator derives another state from the same events.
  private func isOfAnotherState(_ message: SyncMessage) -> Bool {
    guard let state, let theirs = message.state else { return false }
    return isEqual(message) && theirs.differs(from: state)
  }

  private mutating func resolve(_ message: SyncMessage) -> [SyncAction] {
    if message.wanted.isEmpty, wanted.isEmpty, isEqual(message), !isOfAnotherState(message) {
      phase = .idle
      var answer = SyncMessage()
      answer.number = message.number
      answer.equal = Array(tree.vector.digest.prefix(4))
      return [.send(answer.encoded())]
    }
    guard let dictionary = message.dictionary else {
      return open(message, with: IdentifierTable())
    }
    phase = .opening(message, dictionary)
    return advance()
  }

  /// Decodes the runs of a message.
  ///
  /// - Parameter table: The identifiers that are sent by number; nil if this side derives other
  ///   ones. The message is then answered as if it had no events.
  private mutating func open(_ message: SyncMessage, with table: IdentifierTable?) -> [SyncAction] {
    isDictionaryUnknown = table == nil
    do {
      let runs = try table.map { table throws(ModelError) in
        try MessageComposer.runs(of: message, limit: options.maxMessageBytes, dictionary: table)
      }
      phase = .receiving(message, runs ?? [])
    } catch {
      return refuse(message.number, SyncRefusal(code: .malformed, text: error.message))
    }
    return advance()
  }

  private func refusal(of message: SyncMessage.Envelope) -> SyncRefusal? {
    let versions = options.versions
    if !versions.contains(message.version) {
      return SyncRefusal(
        code: .version, number: UInt64(message.version), limit: UInt64(versions.upperBound),
        text: "version \(message.version) is not spoken here; the greatest is "
          + "\(versions.upperBound)")
    }
    if message.store != store.high {
      return SyncRefusal(
        code: .otherStore, number: store.high, text: "this is another store: \(store)")
    }
    if tree.openCount > SyncMessage.maxHeads {
      return SyncRefusal(
        code: .tooManyHeads, number: UInt64(tree.openCount), limit: UInt64(SyncMessage.maxHeads),
        text: "\(tree.openCount) heads; a vector holds at most \(SyncMessage.maxHeads)")
    }
    return nil
  }

  /// Whether a hello names exactly the heads of this log.
  private func isEqual(_ message: SyncMessage) -> Bool {
    if let vector = message.vector {
      return vector.heads.count == tree.openCount && Set(vector.heads) == tree.points
    }
    return !message.digest.isEmpty && message.digest == Array(tree.vector.digest.prefix(16))
  }

  private mutating func refuse(_ number: UInt32, _ refusal: SyncRefusal) -> [SyncAction] {
    phase = .idle
    var answer = SyncMessage()
    answer.number = number
    answer.limit = options.maxMessageBytes
    answer.refusals = [refusal]
    return [.send(answer.encoded())]
  }

  /// Continues with the known IDs, and requests more if they are not enough.
  private mutating func advance() -> [SyncAction] {
    switch phase {
    case .opening(let message, let dictionary):
      let place = lookup.place(of: dictionary.end, in: tree)
      if let places = lookup.takeMissing() { return [.identify(places)] }
      guard let place else { return open(message, with: nil) }
      return [.collect([place])]
    case .receiving(let message, let runs):
      let previous = RunIntake.previous(of: runs, in: tree, lookup: &lookup)
      let taken = log.identity.taken(since: firstReplica)
      let unheld = RunIntake.unheld(runs, of: taken, in: tree, lookup: &lookup)
      if let places = lookup.takeMissing() { return [.identify(places)] }
      let intake = RunIntake(runs, previous: previous, ownReplica: (taken, unheld))
      guard intake.runs.isEmpty else {
        phase = .appending(message, runs, intake)
        return [.append(intake.runs)]
      }
      phase = .planning(message, runs, intake)
      return advance()
    case .planning(let message, let runs, let intake):
      var plan = AnswerPlan(tree: tree, options: options)
      plan.want(wanted)
      plan.say(state)
      plan.reportDictionary(isUnknown: isDictionaryUnknown)
      plan.answer(message, intake: intake, identity: log.identity, lookup: &lookup)
      let refused = intake.refusals.filter { isOfNews(runs[$0.run]) }
      if let places = lookup.takeMissing() { return [.identify(places)] }
      self.refused += refused.map(\.words)
      // Repairs are sent in full, since a message with an unknown dictionary must be sent again.
      let mayUseDictionary =
        version >= SyncMessage.firstShortVersion && !message.isDictionaryUnknown
        && message.wanted.isEmpty
      return read(
        plan, places: mayUseDictionary ? plan.dictionaryPlaces : [],
        limit: min(options.maxMessageBytes, message.limit))
    case .idle, .digesting, .wanting, .appending, .reading, .choosing:
      preconditionFailure("a responder continued while it was waiting")
    }
  }

  /// Whether a run ends with an event that is not held.
  private mutating func isOfNews(_ run: SyncRun) -> Bool {
    lookup.place(of: run.replica, at: run.lastSequence, suffix: run.lastSuffix, in: tree) == nil
  }

  private mutating func read(_ plan: AnswerPlan, places: [Place], limit: Int) -> [SyncAction] {
    let budget = composer.byteBudget(alongside: plan.message, limit: limit)
    guard !plan.ranges.isEmpty, budget > SyncRun.maxOverhead else {
      phase = .idle
      return [.send(plan.message.encoded())]
    }
    phase = .reading(plan.message, places: places, limit: limit)
    return [.read(plan.ranges, byteBudget: budget)]
  }

  private mutating func send(
    _ message: SyncMessage, with runs: [OutgoingRun], limit: Int, dictionary: IdentifierTable
  ) -> [SyncAction] {
    phase = .idle
    let bytes = composer.compose(
      message, runs: runs, limit: limit,
      dictionary: version >= SyncMessage.firstShortVersion ? dictionary : nil
    ).bytes
    return [.send(bytes)]
  }
}
