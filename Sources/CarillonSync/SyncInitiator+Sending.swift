internal import CarillonModel
internal import CarillonWire

extension SyncInitiator {
  /// Sends everything there is to send, as far as the window allows; finishes if nothing is left.
  mutating func pump() throws(SyncError) -> [SyncAction] {
    guard flight.count < options.window else { return [] }
    var message = skeleton()
    if !peer.isAnnounced {
      guard !flight.hasVectorRequest else { return [] }
      message.vectorFrom = peer.headCount
      return [post(message)] + (try pump())
    }
    message.request = request
    request = nil
    message.wanted = wants.next
    if !flight.asksForWanted, let from = peer.wants.nextFrom {
      message.wantedFrom = from
      message.audit = options.audits
    }
    let wanted = peer.wants.ranges
    let ranges = wanted + peer.ranges(in: tree, own: identity.replica)
    if !ranges.isEmpty {
      phase = .reading(message, wantedCount: wanted.count)
      let budget = composer.byteBudget(alongside: message, limit: peer.limit)
      return [.read(Array(ranges.prefix(SyncMessage.maxRuns)), byteBudget: budget)]
    }
    if message.asks || (flight.isEmpty && !message.acknowledged.isEmpty) {
      return [post(message)] + (try pump())
    }
    return flight.isEmpty ? finish() : []
  }

  /// Sends a message with events; the first `wantedCount` runs are events that the peer wants.
  mutating func send(
    _ message: SyncMessage, with runs: [OutgoingRun], wantedCount: Int,
    dictionary: IdentifierTable
  ) throws(SyncError) -> [SyncAction] {
    phase = .idle
    peer.wants.lose(runs.prefix(wantedCount).map { $0.run.count == 0 })
    for run in runs.dropFirst(wantedCount) where run.run.count == 0 {
      peer.withhold(run.branch)
      tally.withheld(tree[run.branch].replica, sequence: run.run.firstSequence)
    }
    let given = runs.filter { $0.run.count > 0 }
    let (bytes, sent) = composer.compose(
      message, runs: given, limit: peer.limit,
      dictionary: version >= SyncMessage.firstShortVersion ? dictionary : nil)
    let wanted = sent.prefix(runs.prefix(wantedCount).count { $0.run.count > 0 })
    let news = sent.dropFirst(wanted.count)
    peer.wants.send(wanted.count)
    for run in news {
      peer.send(run, in: tree)
      tally.sentMissing(run.run.missing.count)
    }
    guard !sent.isEmpty || message.asks || !message.acknowledged.isEmpty else {
      guard given.count == runs.count else { return try pump() }
      throw SyncError(code: .log, message: "the log did not return the events of its branches")
    }
    let summaries =
      wanted.map { $0.summary(isWanted: true) } + news.map { $0.summary(isWanted: false) }
    return [post(message, as: bytes, runs: summaries)] + (try pump())
  }

  /// The places whose dictionaries the peer probably derives too.
  var dictionaryPlaces: [Place] {
    guard version >= SyncMessage.firstShortVersion, !isDictionaryUnknown else { return [] }
    return peer.coverage.places(in: tree).newest(in: tree)
  }

  /// Returns a message with the fields that every message of an initiator has.
  mutating func skeleton() -> SyncMessage {
    var message = SyncMessage()
    message.number = flight.number
    message.version = version
    message.store = store.high
    message.limit = options.maxMessageBytes
    message.acknowledged = Array(unacknowledged.prefix(SyncMessage.maxRuns))
    message.isDictionaryUnknown = isDictionaryUnknown
    return message
  }

  /// Sends a message and remembers it until it is answered.
  ///
  /// - Parameter bytes: The encoded message, if it also holds events.
  mutating func post(
    _ message: SyncMessage, as bytes: [UInt8]? = nil, runs: [OutgoingRun.Summary] = []
  ) -> SyncAction {
    let bytes = bytes ?? message.encoded()
    flight.add(bytes, saying: message, runs: runs)
    wants.ask(message.wanted)
    tally.sent(bytes)
    unacknowledged.removeFirst(message.acknowledged.count)
    return .send(bytes)
  }

  mutating func finish() -> [SyncAction] {
    phase = .finished
    let there = options.audits ? peer.wants.unrepaired : []
    return [
      .finished(
        tally.report(
          roundTrips: flight.depth, in: tree, peer: peer, unrepaired: wants.unrepaired, there: there
        ))
    ]
  }
}

extension SyncMessage {
  /// Whether the message requests events, or the peer's wanted events.
  fileprivate var asks: Bool { request != nil || !wanted.isEmpty || wantedFrom > 0 }
}
