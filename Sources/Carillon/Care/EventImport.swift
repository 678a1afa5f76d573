import CarillonModel

/// Turns whole events, as an export lists them, into runs, and appends them.
///
/// An export tells no previous IDs; they are found by trying: the previous event is the one of the
/// same replica, one sequence before, from which the ID follows.
struct EventImport {
  let log: any EventLog
  private var runs: [OpenRun] = []
  /// The IDs in this batch, by place.
  private var places: [Place: [EventID]] = [:]
  /// Events of which only the ID is known, by place: each waits for the one behind it, whose ID
  /// commits to it.
  private var missing: [Place: [Event]] = [:]

  private struct Place: Hashable {
    let replica: ReplicaID
    let sequence: UInt64

    init(replica: ReplicaID, sequence: UInt64) {
      self.replica = replica
      self.sequence = sequence
    }

    init(_ event: Event) {
      self.init(replica: event.replica, sequence: event.sequence.rawValue)
    }
  }

  private struct OpenRun {
    let replica: ReplicaID
    let first: SequenceNumber
    let previous: EventID
    var items: [EventRun.Item]
    var last: EventID
    var nextSequence: UInt64 { first.rawValue + UInt64(items.count) }
  }

  init(log: any EventLog) {
    self.log = log
  }

  /// Appends a batch in one transaction.
  ///
  /// - Returns: How many events were new, and those of which only the ID is known and behind which
  ///   none came that commits to it: they were left out, and may be given again.
  /// - Throws: `invalidValue` with the index of the first event that follows from nothing.
  static func append(
    _ events: [Event], to log: any EventLog, wallClock: Instant, erasures: any HeldErasures
  ) async throws -> (added: Int, left: [Event]) {
    guard !events.isEmpty else { return (0, []) }
    var batch = EventImport(log: log)
    let branches = Dictionary(grouping: try log.branches(), by: \.replica)
    for (index, event) in events.enumerated() {
      try batch.add(event, index: index, branches: branches[event.replica] ?? [])
    }
    let runs = batch.runs.map {
      EventRun(
        replica: $0.replica, firstSequence: $0.first, previous: $0.previous, items: $0.items,
        lastID: $0.last)
    }
    let outcomes = try await log.append(runs, wallClock: wallClock, erasures: erasures)
    let leftOut = outcomes.count(where: { $0 == .headsFull })
    guard leftOut == 0 else {
      throw StoreError(
        code: .invalidValue,
        message: "\(leftOut) histories were left out: the log has \(VersionVector.maxTakenHeads) "
          + "heads, the most that are taken in; the rest of the batch is kept",
        hint: "close replicas that write no more: carillon replicas close --help")
    }
    guard !outcomes.contains(where: { if case .gap = $0 { true } else { false } }) else {
      throw StoreError(
        code: .invalidValue,
        message:
          "an event closes a branch at an event that is neither held nor on a line before it; "
          + "the rest of the batch is kept",
        hint: "export again from a replica that is whole, all of it")
    }
    let left = batch.missing.values.joined().sorted { $0.id < $1.id }
    let added = outcomes.reduce(0) { count, outcome in
      guard case .appended(let positions, _) = outcome else { return count }
      return count + Int(positions.upperBound.rawValue - positions.lowerBound.rawValue) + 1
    }
    return (added, try left.filter { try log.position(of: $0.id) == nil })
  }

  private mutating func add(_ event: Event, index: Int, branches: [Branch]) throws {
    guard !event.isMissing else {
      missing[Place(event), default: []].append(event)
      return
    }
    let item =
      event.bare.map { EventRun.Item(timestamp: event.timestamp, bare: $0) }
      ?? EventRun.Item(timestamp: event.timestamp, payload: event.payload)
    guard item.hasAllowedSize else {
      throw Self.problem(
        index,
        "has a payload of \(event.payload.count) bytes; "
          + "1 to \(Event.maxPayloadBytes) are allowed")
    }
    guard !event.timestamp.isExhausted else {
      throw Self.problem(index, "has a timestamp beyond what the clock can say")
    }
    func follows(_ previous: EventID) -> Bool {
      EventChain.id(
        sequence: event.sequence, timestamp: event.timestamp, previous: previous,
        payload: item.digest)
        == event.id && (event.sequence == .first || event.timestamp > previous.timestamp)
    }
    let open = runs.lastIndex {
      $0.replica == event.replica && $0.nextSequence == event.sequence.rawValue && follows($0.last)
    }
    // What an event closes stands on lines before it, and so in runs before its own.
    if let open, item.closing == nil {
      runs[open].items.append(item)
      runs[open].last = event.id
    } else {
      let before = Place(replica: event.replica, sequence: event.sequence.rawValue - 1)
      if let vouched = missing[before]?.first(where: { follows($0.id) }) {
        try put(vouched, before: item, event.id, index: index, branches)
        return
      }
      guard let previous = try candidates(before: event, branches).first(where: follows) else {
        throw Self.problem(
          index,
          "\(event.replica)@\(event.sequence.rawValue) with ID \(event.id) "
            + "follows no event that is held: one before it is missing, or it was changed")
      }
      runs.append(
        OpenRun(
          replica: event.replica, first: event.sequence, previous: previous, items: [item],
          last: event.id))
    }
    places[Place(event), default: []].append(event.id)
  }

  /// Puts an event of which only the ID is known, and those before it, and the one that commits to
  /// it.
  ///
  /// Nothing tells on which of several histories they lie: the newest that is older is taken.
  private mutating func put(
    _ event: Event, before item: EventRun.Item, _ id: EventID, index: Int, _ branches: [Branch]
  ) throws {
    var (first, ids) = (event, [event.id])
    while let earlier = take(first), first.sequence > .first {
      let before = Place(replica: earlier.replica, sequence: earlier.sequence.rawValue - 1)
      guard let next = missing[before]?.max(by: { $0.id < $1.id }) else { break }
      first = next
      ids.insert(next.id, at: 0)
    }
    let items = ids.map(EventRun.Item.init(missing:)) + [item]
    let open = runs.lastIndex {
      $0.replica == first.replica && $0.nextSequence == first.sequence.rawValue
        && $0.last < first.id
    }
    if let open {
      runs[open].items += items
      runs[open].last = id
    } else {
      let candidates = try candidates(before: first, branches)
      let previous =
        first.sequence == .first
        ? candidates.first : candidates.filter { $0 < first.id }.max()
      guard let previous else {
        throw Self.problem(
          index,
          "\(first.replica)@\(first.sequence.rawValue), an ID alone, follows no event that is held")
      }
      runs.append(
        OpenRun(
          replica: first.replica, first: first.sequence, previous: previous, items: items,
          last: id))
    }
    for (offset, id) in (ids + [id]).enumerated() {
      let sequence = first.sequence.rawValue + UInt64(offset)
      places[Place(replica: first.replica, sequence: sequence), default: []].append(id)
    }
  }

  /// Takes an event of which only the ID is known out of those that wait.
  private mutating func take(_ event: Event) -> Event? {
    guard let index = missing[Place(event)]?.firstIndex(of: event) else { return nil }
    return missing[Place(event)]?.remove(at: index)
  }

  /// The IDs that may stand before an event: the root, or those of its replica one sequence before.
  private func candidates(before event: Event, _ branches: [Branch]) throws -> [EventID] {
    guard event.sequence > .first else {
      return event.sequence == .first ? [EventChain.root(of: event.replica)] : []
    }
    let sequence = SequenceNumber(rawValue: event.sequence.rawValue - 1)
    var found = places[Place(replica: event.replica, sequence: sequence.rawValue)] ?? []
    for branch in branches where branch.headSequence >= sequence {
      try log.scan(branch: branch.index, from: sequence) { raw in
        found.append(raw.id)
        return false
      }
    }
    return found
  }

  private static func problem(_ index: Int, _ message: String) -> StoreError {
    StoreError(
      code: .invalidValue, message: "the event \(message)", index: index,
      hint: "export again from a replica that is whole")
  }
}
