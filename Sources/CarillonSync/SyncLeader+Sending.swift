internal import CarillonModel
internal import CarillonWire

extension SyncLeader {
  /// Sends what there is to send, as far as the window is open; ends where nothing is left.
  mutating func pump() throws(SyncError) -> [SyncAction] {
    guard flight.count < options.window else { return [] }
    var message = skeleton()
    if !peer.isAnnounced {
      guard !flight.hasVectorRequest else { return [] }
      message.vectorFrom = peer.headCount
      return [post(message.encoded(), vectorFrom: peer.headCount)] + (try pump())
    }
    message.request = request
    let stretches = peer.stretches(in: tree)
    if !stretches.isEmpty {
      request = nil
      phase = .reading(message)
      let budget = composer.byteBudget(beside: message, limit: peer.limit)
      return [.read(stretches, byteBudget: budget)]
    }
    if message.request != nil || (flight.isEmpty && !message.acknowledged.isEmpty) {
      request = nil
      return [post(message.encoded(), targets: message.request?.targets ?? [])]
    }
    return flight.isEmpty ? finish() : []
  }

  /// Sends a message with events.
  mutating func send(
    _ message: SyncMessage, with runs: [OutgoingRun]
  ) throws(SyncError) -> [SyncAction] {
    let (bytes, sent) = composer.compose(message, runs: runs, limit: peer.limit)
    for run in sent { peer.send(run, in: tree) }
    guard !sent.isEmpty || message.request != nil || !message.acknowledged.isEmpty else {
      throw SyncError(code: .log, message: "the log did not give the events that it announced")
    }
    return [post(bytes, runs: sent, targets: message.request?.targets ?? [])] + (try pump())
  }

  /// What every message of a leader says.
  mutating func skeleton() -> SyncMessage {
    var message = SyncMessage()
    message.number = flight.number
    message.version = SyncMessage.currentVersion
    message.store = store.high
    message.limit = options.maxMessageBytes
    message.acknowledged = unacknowledged
    return message
  }

  /// Puts a message on the link, with all acknowledgements, and remembers it until it is answered.
  mutating func post(
    _ bytes: [UInt8], runs: [OutgoingRun] = [], targets: [SyncPoint] = [], vectorFrom: Int? = nil
  ) -> SyncAction {
    flight.add(bytes, runs: runs, targets: targets, vectorFrom: vectorFrom)
    tally.sent(bytes)
    unacknowledged = []
    return .send(bytes)
  }

  mutating func finish() -> [SyncAction] {
    phase = .finished
    return [.finished(tally.report(roundTrips: flight.depth, in: tree))]
  }
}
