import CarillonModel
import CarillonSealing
import CarillonWire

/// Writes the history of a plain log into a sealed store: the same payloads at the same times by
/// the same replicas, under new IDs.
///
/// An ID commits to the bytes of its payload, so each event gets a new one, and so do all mentions
/// of it in later payloads. Events without content, and closings of heads, are left out.
struct SealedHistory {
  private let source: any EventReader
  private let target: any EventLog
  private let ring: KeyRing
  private let branches: [Branch]
  /// The new ID of each event.
  private var renamed: [EventID: EventID] = [:]
  /// The new ID of each entry whose ID follows from that of its event.
  private var entries: [EntryID: EntryID] = [:]
  /// The last new event at or before each old one on its branch.
  private var ends: [EventID: Place] = [:]
  /// The last old event of each branch.
  private var lasts: [EventID?]
  private var runs: [Run] = []
  private var count = 0

  private struct Place {
    let id: EventID
    let sequence: UInt64
  }

  private struct Run {
    let branch: BranchIndex
    let replica: ReplicaID
    let start: Place
    var items: [EventRun.Item] = []
    var last: EventID

    var run: EventRun {
      EventRun(
        replica: replica, firstSequence: SequenceNumber(rawValue: start.sequence + 1),
        previous: start.id, items: items, lastID: last)
    }
  }

  /// The number of events that are written at once.
  private static let eventsPerWrite = 2_000

  init(of source: any EventReader, to target: any EventLog, _ ring: KeyRing) throws {
    (self.source, self.target, self.ring) = (source, target, ring)
    branches = try source.branches()
    lasts = Array(repeating: nil, count: branches.count)
  }

  /// Writes all events, and returns their number.
  ///
  /// - Complexity: O(events × log events). Memory is O(events).
  mutating func write(
    wallClock: Instant, _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws -> Int {
    // A mentioned event has a lesser ID than the one that mentions it.
    var order: [(id: EventID, position: LogPosition)] = []
    try source.scanIntact(after: .start) { event in
      order.append((event.id, event.position))
      return true
    }
    order.sort { $0.id < $1.id }
    var written = 0
    for (index, next) in order.enumerated() {
      guard let event = try source.eventAndBranch(at: next.position) else { continue }
      written += try add(event.event, on: event.branch) ? 1 : 0
      if count >= Self.eventsPerWrite {
        try Task.checkCancellation()
        try await flush(wallClock)
        progress(index, order.count)
      }
    }
    try await flush(wallClock)
    return written
  }

  private mutating func add(_ event: StoredEvent, on branch: BranchIndex) throws -> Bool {
    let index = Int(branch.rawValue)
    let before = try lasts[index] ?? parent(of: branches[index])
    let previous =
      before.flatMap { ends[$0] } ?? Place(id: EventChain.root(of: event.replica), sequence: 0)
    lasts[index] = event.id
    let isKept =
      !event.payload.isEmpty && !event.timestamp.isBeyondClocks
      && event.payload.withUnsafeBytes { BranchesClosed(written: $0) == nil }
    guard isKept else {
      ends[event.id] = previous
      return false
    }
    let sequence = SequenceNumber(rawValue: previous.sequence + 1)
    let payload = renaming(event.payload)
    let item = EventRun.Item(
      timestamp: event.timestamp,
      payload: try ring.seal(
        payload,
        at: SealedPlace(
          store: ring.store, replica: event.replica, sequence: sequence,
          timestamp: event.timestamp)))
    let id = item.id(sequence: sequence, previous: previous.id)
    renamed[event.id] = id
    ends[event.id] = Place(id: id, sequence: sequence.rawValue)
    if case .entryRecorded(let entry)? = try? PayloadCoding.decode(event.payload) {
      let old = entry.kind.entryID(habit: entry.habit, date: entry.date, event: event.id)
      let new = entry.kind.entryID(habit: entry.habit, date: entry.date, event: id)
      if old != new { entries[old] = new }
    }
    if let open = runs.lastIndex(where: { $0.branch == branch }), runs[open].last == previous.id {
      runs[open].items.append(item)
      runs[open].last = id
    } else {
      runs.append(
        Run(branch: branch, replica: event.replica, start: previous, items: [item], last: id))
    }
    count += 1
    return true
  }

  /// Returns the event after which a branch leaves another one.
  private func parent(of branch: Branch) throws -> EventID? {
    try branch.parent.flatMap { try source.id(on: $0.branch, at: $0.sequence) }
  }

  /// Returns a payload with the new IDs of the events and entries that it mentions.
  ///
  /// IDs have a fixed size and the bytes of hashes, so they are found in payloads of every kind.
  private func renaming(_ payload: [UInt8]) -> [UInt8] {
    var payload = payload
    replace(in: &payload, renamed, EventID.byteCount) {
      EventID(loading: $0)
    } with: { id in
      id.withUnsafeBytes { [UInt8]($0) }
    }
    replace(in: &payload, entries, EntryID.byteCount) {
      EntryID(loading: $0)
    } with: {
      $0.bytes
    }
    return payload
  }

  private func replace<ID: Hashable>(
    in payload: inout [UInt8], _ names: [ID: ID], _ count: Int,
    _ read: (UnsafeRawBufferPointer) -> ID, with bytes: (ID) -> [UInt8]
  ) {
    guard !names.isEmpty, payload.count >= count else { return }
    var start = 0
    while start + count <= payload.count {
      let found = payload.withUnsafeBytes { buffer in
        names[read(UnsafeRawBufferPointer(rebasing: buffer[start..<start + count]))]
      }
      if let found { payload.replaceSubrange(start..<start + count, with: bytes(found)) }
      start += found == nil ? 1 : count
    }
  }

  private mutating func flush(_ wallClock: Instant) async throws {
    guard !runs.isEmpty else { return }
    for outcome in try await target.append(runs.map(\.run), wallClock: wallClock, erasures: nil) {
      guard case .appended = outcome else {
        throw StoreError(code: .corrupt, message: "the history cannot be written: \(outcome)")
      }
    }
    (runs, count) = ([], 0)
  }
}

extension EventReader {
  /// Returns the event at a position with its branch; nil if there is none.
  fileprivate func eventAndBranch(
    at position: LogPosition
  ) throws -> (event: StoredEvent, branch: BranchIndex)? {
    var found: (StoredEvent, BranchIndex)?
    try scan(after: LogPosition(rawValue: position.rawValue - 1)) { event in
      found = (event.event, event.branch)
      return false
    }
    return found
  }
}
