internal import CarillonModel

/// What an ``InMemoryEventLog`` holds after one commit.
struct InMemoryLogContents: Sendable {
  /// By position, the first at index 0.
  private(set) var events: [(branch: BranchIndex, event: Event)] = []
  private(set) var branches: [Branch] = []
  private var indices: [EventID: Int] = [:]
  /// The places of branches by the ID of their head.
  private var heads: [EventID: Int] = [:]
  /// Where the events of each branch itself stand, by sequence.
  private var places: [[Int]] = []
  private var replica: ReplicaID
  private var predecessor: ReplicaID?
  var generation: UInt64 = 0
  /// How many payloads were taken away or put back.
  private(set) var rewriteCount = 0

  init(replica: ReplicaID) {
    self.replica = replica
  }

  var lastPosition: Position { Position(rawValue: UInt64(events.count)) }

  private var ownBranch: Branch? { branches.first { $0.replica == replica } }

  /// Whether the own branch ends at a timestamp that own events must not follow any more.
  var mustLeaveBranch: Bool { ownBranch?.headID.timestamp.isBeyondClocks ?? false }

  var identity: ReplicaIdentity {
    ReplicaIdentity(
      replica: replica, predecessor: predecessor,
      isAnnounced: predecessor == nil || ownBranch != nil)
  }

  mutating func adopt(_ newReplica: ReplicaID) {
    if identity.isAnnounced { predecessor = replica }
    replica = newReplica
  }

  // MARK: Reading

  func position(of id: EventID) -> Position? {
    indices[id].map { Position(rawValue: UInt64($0) + 1) }
  }

  func position(on branch: BranchIndex, at sequence: SequenceNumber) -> Position? {
    guard branch.rawValue < branches.count, sequence >= .first else { return nil }
    var branch = branches[Int(branch.rawValue)]
    while sequence < branch.firstSequence, let parent = branch.parent {
      branch = branches[Int(parent.branch.rawValue)]
    }
    guard sequence <= branch.headSequence else { return nil }
    let index = Int(sequence.rawValue - branch.firstSequence.rawValue)
    return Position(rawValue: UInt64(places[Int(branch.index.rawValue)][index]) + 1)
  }

  func visit(_ index: Int, _ body: (RawEvent) throws -> Bool) rethrows -> Bool {
    let (branch, event) = events[index]
    return try event.payload.withUnsafeBytes { payload in
      try body(
        RawEvent(
          position: Position(rawValue: UInt64(index) + 1), branch: branch,
          replica: event.replica, sequence: event.sequence, id: event.id, payload: payload,
          redacted: event.redacted))
    }
  }

  // MARK: Writing

  mutating func record(_ new: [NewEvent], wallClock: Instant) throws -> Recorded {
    var recorded: [RecordedEvent] = []
    for new in new {
      let timestamp = try nextTimestamp(wallClock)
      let event = new.form(under: timestamp, wallClock: wallClock)
      guard (1...Event.maxPayloadBytes).contains(event.payload.count) else {
        throw LogError(
          code: .payloadTooLarge, message: "A payload has \(event.payload.count) bytes.")
      }
      let sequence = ownBranch?.headSequence.next ?? .first
      let previous = ownBranch?.headID ?? EventChain.root(of: replica)
      let id = EventChain.id(
        sequence: sequence, timestamp: timestamp, previous: previous,
        payload: event.digest)
      guard event.closing.map(holds) ?? true else {
        throw LogError(
          code: .corruptRun, message: "An event closes a branch at an event that is not held.")
      }
      insert(
        Event(id: id, replica: replica, sequence: sequence, payload: event.payload),
        after: previous)
      recorded.append(RecordedEvent(position: lastPosition, sequence: sequence, id: id))
    }
    return Recorded(replica: replica, events: recorded)
  }

  private func nextTimestamp(_ wallClock: Instant) throws -> Timestamp {
    do {
      return try Timestamp.next(
        wallClock: wallClock, after: Timestamp.greatest(of: branches.map(\.headID.timestamp)),
        behind: ownBranch?.headID.timestamp)
    } catch {
      throw LogError(code: .clockExhausted, message: error.message, cause: error)
    }
  }

  /// How many events at the start of a run are held.
  func heldCount(of run: InMemoryRun) throws -> Int {
    run.ids.prefix { indices[$0] != nil }.count
  }

  /// Whether the event before the rest of a run is held.
  func canContinue(_ run: InMemoryRun, after held: Int) throws -> Bool {
    guard held == 0, run.run.firstSequence > .first else { return true }
    guard let index = indices[run.run.previous],
      events[index].event.replica == run.run.replica
    else { return false }
    guard events[index].event.sequence.next == run.run.firstSequence else {
      throw LogError(code: .corruptRun, message: "A run does not follow its previous event.")
    }
    return true
  }

  func nextSequence(of replica: ReplicaID) -> SequenceNumber {
    branches.filter { $0.replica == replica }.map(\.headSequence).max()?.next ?? .first
  }

  /// Whether the rest of a run, of which the event before is held, makes one head too many.
  func isFull(for run: InMemoryRun, after held: Int) -> Bool {
    let extended = heads[held > 0 ? run.ids[held - 1] : run.run.previous]
    return branches.count { !$0.isClosed } >= VersionVector.maxTakenHeads
      && extended.map { branches[$0].isClosed } ?? true
  }

  /// Whether all events are held that are closed.
  func holds(_ closed: BranchesClosed) -> Bool {
    closed.heads.allSatisfy { head in
      indices[head.id].map {
        events[$0].event.replica == head.replica && events[$0].event.sequence == head.sequence
      } ?? false
    }
  }

  mutating func append(_ run: InMemoryRun, after held: Int) {
    for index in held..<run.ids.count {
      insert(run.event(at: index), after: index > 0 ? run.ids[index - 1] : run.run.previous)
    }
  }

  /// Takes payloads away; gives how many were there.
  mutating func erase(_ erased: [ErasedPayload]) -> Int {
    var count = 0
    for payload in erased {
      let index = Int(payload.position.rawValue) - 1
      let event = events[index].event
      guard event.redacted == nil, isIntact(event),
        indices[payload.erasure].map({ isIntact(events[$0].event) }) ?? true
      else { continue }
      let redacted = RedactedContent(digest: PayloadDigest(event.payload), erasure: payload.erasure)
      events[index].event = Event(
        id: event.id, replica: event.replica, sequence: event.sequence, redacted: redacted)
      count += 1
    }
    rewriteCount += count
    return count
  }

  /// Puts back the contents of held events that are damaged or redacted for nothing; returns how
  /// many.
  mutating func repair(
    _ run: InMemoryRun, held: Int, _ erasures: (any HeldErasures)?
  ) throws -> Int {
    var count = 0
    for place in 0..<held {
      guard let index = indices[run.ids[place]],
        try isBetter(run.event(at: place), at: index, erasures)
      else { continue }
      events[index].event = run.event(at: place)
      note(index)
      count += 1
    }
    rewriteCount += count
    return count
  }

  private func isBetter(
    _ event: Event, at index: Int, _ erasures: (any HeldErasures)?
  ) throws -> Bool {
    guard !event.isMissing, closed(by: event).map(holds) ?? true else { return false }
    guard let redacted = events[index].event.redacted else { return !isIntact(events[index].event) }
    guard let erasures else { return false }
    guard let named = event.redacted else {
      return try erasures.permitRestoring(
        event.payload, to: redacted, of: event.id, at: Position(rawValue: UInt64(index) + 1))
    }
    return try !erasures.confirm(redacted, of: event.id) && erasures.confirm(named, of: event.id)
  }

  /// Changes a byte of a payload, as a bad disk does.
  mutating func damage(_ index: Int) {
    let event = events[index].event
    var payload = event.payload
    precondition(!payload.isEmpty, "there is a payload to damage")
    payload[payload.count / 2] ^= 0x20
    events[index].event = Event(
      id: event.id, replica: event.replica, sequence: event.sequence, payload: payload)
    rewriteCount += 1
  }

  var damaged: [DamagedEvent] {
    events.enumerated().filter { !isIntact($0.element.event) }.map { index, held in
      DamagedEvent(
        position: Position(rawValue: UInt64(index) + 1), branch: held.branch,
        sequence: held.event.sequence, id: held.event.id)
    }
  }

  /// Whether an event comes to its ID.
  private func isIntact(_ event: Event) -> Bool {
    let id = EventChain.id(
      sequence: event.sequence, timestamp: event.id.timestamp, previous: previous(of: event),
      payload: event.redacted?.digest ?? PayloadDigest(event.payload))
    return id == event.id
  }

  mutating func rollBack(to position: Position) {
    let kept = events.prefix(Int(clamping: position.rawValue))
    let before = self
    events = []
    branches = []
    indices = [:]
    heads = [:]
    places = []
    for (_, event) in kept {
      let previous = before.previous(of: event)
      insert(event, after: previous)
    }
  }

  // MARK: -

  /// Extends the branch whose head is `previous`, or opens a new one.
  private mutating func insert(_ event: Event, after previous: EventID) {
    let extended = heads.removeValue(forKey: previous).map { branches[$0] }
    let parent = indices[previous].map { index in
      Branch.Parent(branch: events[index].branch, sequence: events[index].event.sequence)
    }
    let index = extended?.index ?? BranchIndex(rawValue: UInt32(branches.count))
    let branch = Branch(
      index: index, replica: event.replica, parent: extended.map(\.parent) ?? parent,
      headSequence: event.sequence, headID: event.id)
    if extended == nil {
      branches.append(branch)
      places.append([])
    } else {
      branches[Int(index.rawValue)] = branch
      branches[Int(index.rawValue)].closings = extended?.closings ?? []
    }
    heads[event.id] = Int(index.rawValue)
    indices[event.id] = events.count
    places[Int(index.rawValue)].append(events.count)
    events.append((index, event))
    note(events.count - 1)
  }

  private func closed(by event: Event) -> BranchesClosed? {
    event.payload.withUnsafeBytes { BranchesClosed(written: $0) }
  }

  /// Notes what an event closes, once.
  private mutating func note(_ index: Int) {
    let (branch, event) = events[index]
    var closings = branches[Int(branch.rawValue)].closings
    guard let closed = closed(by: event),
      !closings.contains(where: { $0.sequence == event.sequence })
    else { return }
    let places = closed.heads.compactMap { head in
      indices[head.id].map {
        Branch.Place(branch: events[$0].branch, sequence: events[$0].event.sequence)
      }
    }
    closings.append(
      Branch.Closing(
        position: Position(rawValue: UInt64(index) + 1), sequence: event.sequence, closed: places))
    branches[Int(branch.rawValue)].closings = closings.sorted { $0.sequence < $1.sequence }
    for head in closed.heads {
      if let closed = heads[head.id] { branches[closed].isClosed = true }
    }
  }

  private func previous(of event: Event) -> EventID {
    guard event.sequence > .first, let index = indices[event.id],
      let position = position(
        on: events[index].branch,
        at: SequenceNumber(rawValue: event.sequence.rawValue - 1))
    else { return EventChain.root(of: event.replica) }
    return events[Int(position.rawValue) - 1].event.id
  }
}

/// A run and the IDs it comes to.
struct InMemoryRun: Sendable {
  let run: EventRun
  let ids: [EventID]

  func event(at index: Int) -> Event {
    let sequence = SequenceNumber(rawValue: run.firstSequence.rawValue + UInt64(index))
    let item = run.items[index]
    if let redacted = item.redacted {
      return Event(id: ids[index], replica: run.replica, sequence: sequence, redacted: redacted)
    }
    return Event(id: ids[index], replica: run.replica, sequence: sequence, payload: item.payload)
  }

  /// - Throws: `corruptRun`.
  init(_ run: EventRun) throws {
    let refusal = LogError(
      code: .corruptRun, message: "The run of \(run.replica) does not come to the ID it names.")
    let first = run.firstSequence.rawValue
    guard !run.items.isEmpty, first >= 1, first < 1 << 62,
      first > 1 || run.previous == EventChain.root(of: run.replica)
    else { throw refusal }
    var ids: [EventID] = []
    var previous = run.previous
    for (index, item) in run.items.enumerated() {
      let sequence = SequenceNumber(rawValue: first + UInt64(index))
      guard item.hasAllowedSize, !item.timestamp.isExhausted,
        sequence == .first || item.timestamp > previous.timestamp
      else { throw refusal }
      previous = item.id(sequence: sequence, previous: previous)
      ids.append(previous)
    }
    guard previous == run.lastID, run.items.last?.missingID == nil else { throw refusal }
    self.run = run
    self.ids = ids
  }
}
