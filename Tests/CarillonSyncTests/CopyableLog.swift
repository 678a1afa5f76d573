import CarillonModel
import CarillonTesting
import Synchronization

/// A log in memory that can be copied with its name and set back, as a backup is, so that
/// histories fork.
final class CopyableLog: EventLog {
  struct State: Sendable {
    var identity: ReplicaIdentity
    var branches: [Branch] = []
    /// Own events of each branch.
    var events: [[Event]] = []
    /// Branch and index within it, by position - 1.
    var order: [(branch: Int, index: Int)] = []
    /// Where new names come from; neither copied nor set back.
    var names: SeededGenerator
  }

  let storeID: StoreID
  private let state: Mutex<State>
  private let failure = Mutex<LogError?>(nil)

  init(store: StoreID, replica: ReplicaID) {
    storeID = store
    let identity = ReplicaIdentity(replica: replica, predecessor: nil, isAnnounced: true)
    state = Mutex(State(identity: identity, names: SeededGenerator(seed: replica.low)))
  }

  /// A copy that goes on under the same name.
  init(copying other: CopyableLog, seed: UInt64) {
    storeID = other.storeID
    var copy = other.saved
    copy.names = SeededGenerator(seed: seed)
    state = Mutex(copy)
  }

  var saved: State { state.withLock { $0 } }
  func restore(_ saved: State) {
    state.withLock { state in
      let names = state.names
      state = saved
      state.names = names
    }
  }

  func identity() -> ReplicaIdentity { state.withLock(\.identity) }
  func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {}
  func branches() -> [Branch] { state.withLock(\.branches) }
  func lastPosition() -> Position { Position(rawValue: UInt64(state.withLock(\.order.count))) }
  func position(of id: EventID) -> Position? { nil }
  func position(on branch: BranchIndex, at sequence: SequenceNumber) -> Position? { nil }

  func scan(after position: Position, _ body: (RawEvent) throws -> Bool) throws {
    let saved = saved
    for place in saved.order.dropFirst(Int(position.rawValue)) {
      let event = saved.events[place.branch][place.index]
      guard try Self.visit(event, branch: place.branch, body) else { return }
    }
  }

  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    let saved = saved
    var line = [Int(branch.rawValue)]
    while let parent = saved.branches[line[0]].parent {
      line.insert(Int(parent.branch.rawValue), at: 0)
    }
    var last = UInt64.max
    var ranges: [(Int, ClosedRange<UInt64>)] = []
    for index in line.reversed() {
      let first = saved.branches[index].firstSequence.rawValue
      let end = min(last, saved.branches[index].headSequence.rawValue)
      if first <= end { ranges.insert((index, first...end), at: 0) }
      last = min(last, first - 1)
    }
    for (index, range) in ranges where range.upperBound >= sequence.rawValue {
      let first = saved.branches[index].firstSequence.rawValue
      let start = max(range.lowerBound, sequence.rawValue)
      for event in saved.events[index][Int(start - first)...Int(range.upperBound - first)] {
        guard try Self.visit(event, branch: index, body) else { return }
      }
    }
  }

  private static func visit(
    _ event: Event, branch: Int, _ body: (RawEvent) throws -> Bool
  ) rethrows -> Bool {
    try event.payload.withUnsafeBytes {
      try body(
        RawEvent(
          position: .start, branch: BranchIndex(rawValue: UInt32(branch)), replica: event.replica,
          sequence: event.sequence, id: event.id, payload: $0, redacted: event.redacted))
    }
  }

  func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: Position?
  ) throws -> RecordOutcome {
    try state.withLock { state in
      for event in events { try state.write(event, wallClock: wallClock) }
      return .recorded(Recorded(replica: state.identity.replica, events: []))
    }
  }

  func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) throws -> Recorded? { nil }

  /// Lets the log write under another name from now on.
  func rename(to replica: ReplicaID) {
    state.withLock {
      $0.identity = ReplicaIdentity(replica: replica, predecessor: nil, isAnnounced: true)
    }
  }

  /// Lets every append fail from now on.
  func fail(with error: LogError) { failure.withLock { $0 = error } }

  /// Of an erasure only whether it is held is looked at: payloads here are no payloads.
  func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) throws -> [AppendOutcome] {
    if let error = failure.withLock({ $0 }) { throw error }
    return try state.withLock { state in
      var copy = state
      let outcomes = try runs.map { try copy.append($0, wallClock: wallClock) }
      state = copy
      return outcomes
    }
  }

  func projectionGeneration() -> UInt64 { 0 }
  func erase(_ erased: [ErasedPayload]) -> Int {
    state.withLock { state in
      for payload in erased {
        let place = state.order[Int(payload.position.rawValue) - 1]
        state.makeRedacted(place.branch, place.index, erasure: payload.erasure)
      }
      return erased.count
    }
  }
  func damagedEvents() -> [DamagedEvent] { saved.damagedEvents() }
  func moveProjectionGeneration(from current: UInt64, to next: UInt64) -> Bool { false }
  func appends() -> AsyncStream<Position> { AsyncStream { $0.finish() } }
  var commitCount: Int { 0 }
  func close() async {}
}

extension CopyableLog.State {
  /// The branch on which an ID lies and its sequence, by the ID.
  func find(_ id: EventID) -> (branch: Int, sequence: UInt64)? {
    for (index, events) in events.enumerated() {
      var low = 0
      var high = events.count
      while low < high {
        let middle = (low + high) / 2
        if events[middle].id < id { low = middle + 1 } else { high = middle }
      }
      if low < events.count, events[low].id == id { return (index, events[low].sequence.rawValue) }
    }
    return nil
  }

  private mutating func put(_ event: Event, after previous: EventID) {
    var index = branches.firstIndex { $0.headID == previous && $0.replica == event.replica }
    if index == nil {
      let parent = find(previous).map {
        Branch.Parent(
          branch: BranchIndex(rawValue: UInt32($0.branch)),
          sequence: SequenceNumber(rawValue: $0.sequence))
      }
      branches.append(
        Branch(
          index: BranchIndex(rawValue: UInt32(branches.count)), replica: event.replica,
          parent: parent, headSequence: event.sequence, headID: event.id))
      events.append([])
      index = branches.count - 1
    }
    guard let index else { return }
    let old = branches[index]
    branches[index] = Branch(
      index: old.index, replica: old.replica, parent: old.parent, headSequence: event.sequence,
      headID: event.id)
    events[index].append(event)
    order.append((index, events[index].count - 1))
  }

  mutating func write(_ event: NewEvent, wallClock: Instant) throws {
    let replica = identity.replica
    // A name's own line is the one it wrote last.
    let head = branches.filter { $0.replica == replica }.max { $0.headID < $1.headID }
    let greatest = Timestamp.greatest(of: branches.map(\.headID.timestamp))
    let timestamp = try Timestamp.next(
      wallClock: wallClock, after: greatest, behind: head?.headID.timestamp)
    let sequence = head?.headSequence.next ?? .first
    let previous = head?.headID ?? EventChain.root(of: replica)
    let id = EventChain.id(
      sequence: sequence, timestamp: timestamp, previous: previous, payload: event.digest)
    put(
      Event(id: id, replica: replica, sequence: sequence, payload: event.payload), after: previous)
  }

  mutating func append(_ run: EventRun, wallClock: Instant) throws -> AppendOutcome {
    var ids: [EventID] = []
    var previous = run.previous
    for (offset, item) in run.items.enumerated() {
      previous = item.id(
        sequence: SequenceNumber(rawValue: run.firstSequence.rawValue + UInt64(offset)),
        previous: previous)
      ids.append(previous)
    }
    guard previous == run.lastID else { throw LogError(code: .corruptRun, message: "last ID") }
    var held = (ids.lastIndex { find($0) != nil } ?? -1) + 1
    var repaired = repair(run, ids: ids, held: held)
    while held < ids.count, repairID(run, ids: ids, at: held) {
      (held, repaired) = (held + 1, repaired + 1)
    }
    guard held < ids.count else { return .duplicate(repaired: repaired) }
    let before = held == 0 ? run.previous : ids[held - 1]
    guard held > 0 || run.firstSequence == .first || find(before) != nil else {
      return .gap(expected: .first)
    }
    if run.replica == identity.replica { try takeNewIdentity(wallClock: wallClock) }
    let first = order.count + 1
    var last = before
    for offset in held..<ids.count {
      put(run.event(at: offset, id: ids[offset]), after: last)
      last = ids[offset]
    }
    return .appended(
      Position(rawValue: UInt64(first))...Position(rawValue: UInt64(order.count)), held: held)
  }

  private mutating func takeNewIdentity(wallClock: Instant) throws {
    let old = identity.replica
    let new = ReplicaID.random(using: &names)
    identity = ReplicaIdentity(replica: new, predecessor: old, isAnnounced: true)
    try write(NewEvent(payload: [1] + old.bytes), wallClock: wallClock)
  }
}
