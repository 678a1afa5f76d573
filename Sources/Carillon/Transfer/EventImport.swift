import CarillonModel

/// Assembles exported events into runs and appends them.
///
/// An export does not contain the previous IDs. They are found by trying the events of the same
/// replica with the preceding sequence, until the ID follows from one.
struct EventImport {
  private let log: any EventLog
  /// The branches of the log, by replica.
  private let branches: [ReplicaID: [Branch]]
  private var runs: [OpenRun] = []
  /// The runs that an event at a place may continue, the newest last.
  private var open: [EventPlace: [Int]] = [:]
  /// The IDs in this batch, by place.
  private var places: [EventPlace: [EventID]] = [:]
  /// Events known only by ID, by place.
  ///
  /// Each waits for the next event, whose ID commits to it.
  private var missing: [EventPlace: [StoredEvent]] = [:]
  private var continuation: ImportContinuation

  private struct OpenRun {
    let replica: ReplicaID
    let first: SequenceNumber
    let previous: EventID
    var items: [EventRun.Item]
    var ids: [EventID]
    var last: EventID { ids.last ?? previous }
    var next: EventPlace { place(items.count) }

    /// Returns the place of one of its events, counted from 0.
    func place(_ offset: Int) -> EventPlace {
      EventPlace(replica: replica, sequence: first.rawValue + UInt64(offset))
    }
  }

  /// The result of a batch.
  struct Outcome {
    /// The number of new events.
    var added: Int
    /// Events known only by ID for which no next event was found.
    ///
    /// They were left out and may be passed again.
    var awaitingSuccessor: [StoredEvent]
  }

  private init(log: any EventLog, _ continuation: ImportContinuation) throws {
    self.log = log
    let branches = try log.branches()
    self.continuation = continuation
    try self.continuation.findForks(among: branches, in: log)
    self.branches = Dictionary(grouping: branches, by: \.replica)
  }

  /// Appends a batch in one transaction.
  ///
  /// Histories beyond the maximum number of heads are left out, together with everything that
  /// follows from them.
  ///
  /// - Parameter continuation: The continuation of the batch before.
  /// - Throws: `invalidValue`, with the index of the first event whose previous event is not found.
  /// - Complexity: The cost of an event does not depend on the number of heads if it comes right
  ///   after the event that it follows, or starts a branch that the log holds.
  static func append(
    _ events: [StoredEvent], to log: any EventLog, wallClock: Instant, erasures: any HeldErasures,
    _ continuation: inout ImportContinuation
  ) async throws -> Outcome {
    guard !events.isEmpty else { return Outcome(added: 0, awaitingSuccessor: []) }
    var batch = try EventImport(log: log, continuation)
    for (index, event) in events.enumerated() { try batch.add(event, index: index) }
    let runs = batch.runs.map {
      EventRun(
        replica: $0.replica, firstSequence: $0.first, previous: $0.previous, items: $0.items,
        lastID: $0.last)
    }
    let outcomes = try await log.append(runs, wallClock: wallClock, erasures: erasures)
    var added = 0
    for (run, outcome) in zip(batch.runs, outcomes) {
      switch outcome {
      case .appended(let positions, _):
        added += Int(positions.upperBound.rawValue - positions.lowerBound.rawValue) + 1
      case .duplicate: break
      case .gap where batch.continuation.leftOutCount == 0:
        throw StoreError(
          code: .invalidValue,
          message:
            "an event closes a branch at an event that is neither held nor on an earlier line; "
            + "the rest of the batch is kept",
          hint: "export the whole log again, from a complete replica")
      // The event before it, or the event that it closes, was also left out.
      case .headsFull, .gap:
        for (offset, id) in run.ids.enumerated() {
          batch.continuation.leaveOut(id, at: run.place(offset))
        }
        continue
      }
      batch.continuation.end(run.last, at: run.place(run.items.count - 1))
    }
    continuation = batch.continuation
    let awaiting = batch.missing.values.joined().sorted { $0.id < $1.id }
    return Outcome(
      added: added, awaitingSuccessor: try awaiting.filter { try log.position(of: $0.id) == nil })
  }

  private mutating func add(_ event: StoredEvent, index: Int) throws {
    let place = EventPlace(event)
    guard !event.isMissing else {
      missing[place, default: []].append(event)
      return
    }
    let item = try Self.item(of: event, index: index)
    func follows(_ previous: EventID) -> Bool {
      EventChain.id(
        sequence: event.sequence, timestamp: event.timestamp, previous: previous,
        payload: item.digest)
        == event.id && (event.sequence == .first || event.timestamp > previous.timestamp)
    }
    // Histories are listed either one after another, or interleaved in a fixed order.
    for run in [open[place]?.last, open[place]?.first] {
      if let run, follows(runs[run].last) { return goOn(run, event, item) }
    }
    if let fork = continuation.eventBefore(fork: event.id), follows(fork) {
      return begin(event, after: fork, [item], [event.id])
    }
    if let run = open[place]?.last(where: { follows(runs[$0].last) }) {
      return goOn(run, event, item)
    }
    if let end = continuation.end(at: place.previous, where: follows) {
      return begin(event, after: end, [item], [event.id])
    }
    if let vouched = missing[place.previous]?.first(where: { follows($0.id) }) {
      return try put(vouched, before: item, event.id, index: index)
    }
    if let previous = try previous(of: event, where: follows) {
      return begin(event, after: previous, [item], [event.id])
    }
    guard continuation.isLeftOut(at: place.previous, where: follows) else {
      throw Self.problem(
        index,
        "\(event.replica)@\(event.sequence.rawValue) with ID \(event.id) "
          + "does not follow an event that is held: an earlier event is missing, or this one was "
          + "changed")
    }
    continuation.leaveOut(event.id, at: place)
  }

  private static func item(of event: StoredEvent, index: Int) throws -> EventRun.Item {
    let item =
      event.redacted.map { EventRun.Item(timestamp: event.timestamp, redacted: $0) }
      ?? EventRun.Item(timestamp: event.timestamp, payload: event.payload)
    guard item.hasAllowedSize else {
      throw problem(
        index,
        "has a payload of \(event.payload.count) bytes; "
          + "1 to \(StoredEvent.maxPayloadBytes) are allowed")
    }
    guard !event.timestamp.isExhausted else {
      throw problem(index, "has a timestamp beyond the clock's range")
    }
    return item
  }

  /// Adds an event known only by ID, any such events before it, and the next event, whose ID
  /// commits to it.
  ///
  /// Nothing shows to which of several histories they belong, so the newest one that is older is
  /// chosen.
  private mutating func put(
    _ event: StoredEvent, before item: EventRun.Item, _ id: EventID, index: Int
  ) throws {
    var (first, ids) = (event, [event.id])
    while let earlier = take(first), first.sequence > .first {
      guard let next = missing[EventPlace(earlier).previous]?.max(by: { $0.id < $1.id }) else {
        break
      }
      first = next
      ids.insert(next.id, at: 0)
    }
    let items = ids.map(EventRun.Item.init(missing:)) + [item]
    ids.append(id)
    if let run = open[EventPlace(first)]?.last(where: { runs[$0].last < first.id }) {
      return extend(run, by: items, ids)
    }
    var newest: EventID?
    _ = try previous(of: first) { candidate in
      let isOlder = candidate < first.id || first.sequence == .first
      if isOlder { newest = max(newest ?? candidate, candidate) }
      return false
    }
    guard let previous = newest else {
      throw Self.problem(
        index,
        "\(first.replica)@\(first.sequence.rawValue), known only by ID, does not follow an event "
          + "that is held")
    }
    begin(first, after: previous, items, ids)
  }

  /// Removes an event known only by ID from those that wait.
  private mutating func take(_ event: StoredEvent) -> StoredEvent? {
    guard let index = missing[EventPlace(event)]?.firstIndex(of: event) else { return nil }
    return missing[EventPlace(event)]?.remove(at: index)
  }

  private mutating func begin(
    _ event: StoredEvent, after previous: EventID, _ items: [EventRun.Item], _ ids: [EventID]
  ) {
    let run = OpenRun(
      replica: event.replica, first: event.sequence, previous: previous, items: [], ids: [])
    runs.append(run)
    open[run.next, default: []].append(runs.count - 1)
    extend(runs.count - 1, by: items, ids)
  }

  /// Appends an event to a run.
  private mutating func goOn(_ run: Int, _ event: StoredEvent, _ item: EventRun.Item) {
    // An event that closes a branch names an event on an earlier line, so that event must be in an
    // earlier run.
    if item.closing == nil {
      extend(run, by: [item], [event.id])
    } else {
      begin(event, after: runs[run].last, [item], [event.id])
    }
  }

  private mutating func extend(_ run: Int, by items: [EventRun.Item], _ ids: [EventID]) {
    open[runs[run].next]?.removeAll { $0 == run }
    for (item, id) in zip(items, ids) {
      places[runs[run].next, default: []].append(id)
      runs[run].items.append(item)
      runs[run].ids.append(id)
    }
    open[runs[run].next, default: []].append(run)
  }

  /// Returns the first matching ID that may precede an event: the root, or an ID of its replica
  /// with the preceding sequence.
  ///
  /// IDs in memory are tried first, then IDs read from the log.
  private func previous(
    of event: StoredEvent, where matches: (EventID) -> Bool
  ) throws -> EventID? {
    guard event.sequence > .first else {
      let root = EventChain.root(of: event.replica)
      return event.sequence == .first && matches(root) ? root : nil
    }
    let place = EventPlace(event).previous
    if let found = places[place]?.first(where: matches) { return found }
    let sequence = SequenceNumber(rawValue: place.sequence)
    let branches = branches[event.replica] ?? []
    if let found = branches.first(where: { $0.headSequence == sequence && matches($0.headID) }) {
      return found.headID
    }
    // Each event is stored on one branch; branches that fork from it share it.
    for branch in branches where branch.firstSequence <= sequence && sequence < branch.headSequence
    {
      if let id = try log.id(on: branch.index, at: sequence), matches(id) { return id }
    }
    return nil
  }

  private static func problem(_ index: Int, _ message: String) -> StoreError {
    StoreError(
      code: .invalidValue, message: "the event \(message)", index: index,
      hint: "export again from a complete replica")
  }
}
