internal import CarillonModel

/// The contents of an ``InMemoryEventLog`` after a commit.
struct MemoryContents: ScannableView, Sendable {
  var state: LogState
  /// The events by position; the first position has index 0.
  private(set) var events = Chunks<HeldEvent>()
  /// The positions of each branch's own events, by sequence.
  private var positions: [Chunks<UInt64>] = []

  init(_ state: LogState) {
    self.state = state
  }

  func position(of branch: UInt32, at sequence: UInt64) throws -> UInt64 {
    guard state.has(branch, sequence) else {
      throw LogError.corrupt("branch \(branch) has no event with sequence \(sequence)")
    }
    let first = state.branches[Int(branch)].firstSequence.rawValue
    return positions[Int(branch)][Int(sequence - first)]
  }

  /// Returns the position of an event, given its branch and its place on that branch.
  func position(_ branch: Int, _ index: Int) -> LogPosition {
    LogPosition(rawValue: positions[branch][index])
  }

  func header(at position: UInt64) throws -> EventHeader { try event(at: position).header }

  func event(at position: UInt64) throws -> HeldEvent {
    guard (1...UInt64(events.count)).contains(position) else {
      throw LogError.corrupt("the event at position \(position) is missing")
    }
    return events[Int(position) - 1]
  }

  func visitRows(
    of branch: UInt32, _ sequences: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    for sequence in sequences {
      guard try visit(position(of: branch, at: sequence), body) else { return false }
    }
    return true
  }

  func visit(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    for position in positions {
      guard try visit(position, body) else { return false }
    }
    return true
  }

  /// Calls `body` with the event at a position.
  func visit(_ position: UInt64, _ body: (RawEvent) throws -> Bool) throws -> Bool {
    let event = try event(at: position)
    let (header, bytes, redacted): (EventHeader, [UInt8], RedactedContent?) =
      switch event.content {
      case .payload(let payload): (event.header, payload, nil)
      case .redacted(let redacted): (event.header, [], redacted)
      case .missing: (event.header, [], nil)
      }
    return try bytes.withUnsafeBytes { payload in
      try body(
        RawEvent(
          position: LogPosition(rawValue: position), branch: BranchIndex(rawValue: header.branch),
          replica: state.branches[Int(header.branch)].replica,
          sequence: SequenceNumber(rawValue: header.sequence), id: header.id, payload: payload,
          redacted: redacted))
    }
  }

  // MARK: Writing

  mutating func put(
    _ contents: [StoredContent], ids: ArraySlice<EventID>, at place: LogState.Place
  ) {
    if positions.count <= Int(place.branch) { positions.append(Chunks()) }
    var sequence = place.sequence
    for (content, id) in zip(contents, ids) {
      let header = EventHeader(branch: place.branch, sequence: sequence, id: id)
      events.append(HeldEvent(header: header, content: content))
      positions[Int(place.branch)].append(UInt64(events.count))
      sequence += 1
    }
  }

  mutating func replace(at position: UInt64, by event: HeldEvent) {
    events[Int(position) - 1] = event
  }
}

/// A transaction on a log in memory: it changes a copy of the committed contents, which the commit
/// then replaces.
final class MemoryTransaction: LogTransaction {
  private(set) var contents: MemoryContents
  let base: LogState
  private(set) var putCount = 0
  private let publish: (MemoryContents) -> Void

  /// - Parameter publish: Replaces the committed contents.
  init(_ contents: MemoryContents, publish: @escaping (MemoryContents) -> Void) {
    self.contents = contents
    self.publish = publish
    base = contents.state
  }

  var state: LogState {
    _read { yield contents.state }
    _modify { yield &contents.state }
  }

  func position(of branch: UInt32, at sequence: UInt64) throws -> UInt64 {
    try contents.position(of: branch, at: sequence)
  }

  func header(at position: UInt64) throws -> EventHeader { try contents.header(at: position) }

  func event(at position: UInt64) throws -> HeldEvent { try contents.event(at: position) }

  func visitRows(
    of branch: UInt32, _ sequences: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try contents.visitRows(of: branch, sequences, body)
  }

  /// A log in memory keeps no runs, and nothing that could differ from its events.
  func rebuildRuns() throws -> [ClosingEvent] { [] }

  func put(
    _ contents: [StoredContent], ids: ArraySlice<EventID>, at place: LogState.Place
  ) {
    putCount += contents.count
    self.contents.put(contents, ids: ids, at: place)
  }

  func replace(at position: UInt64, by event: HeldEvent) {
    putCount += 1
    contents.replace(at: position, by: event)
  }

  func put(_ closing: Branch.Closing, on branch: UInt32) { putCount += 1 }

  func putMeta(_ key: MetaKey, _ value: [UInt8]) { putCount += 1 }

  func commit() {
    contents.state.commit += 1
    contents.state.unsavedBranches = []
    publish(contents)
  }

  func abort() {}
}
