internal import CarillonModel
internal import Foundation

/// Visits the events of one snapshot in order, as raw pointers.
struct EventScan {
  private let snapshot: LogSnapshot
  private let replicas: [ReplicaID]

  init(_ snapshot: LogSnapshot) {
    self.snapshot = snapshot
    replicas = snapshot.state.branches.map(\.replica)
  }

  /// Visits the events in a range of positions, all of which must be in the log.
  ///
  /// - Parameters:
  ///   - positions: The positions to visit.
  ///   - noteMisplaced: Called before an event whose own place is damaged. It is visited with the
  ///     place that its run gives.
  ///   - body: Returns false to stop.
  /// - Returns: False if `body` stopped the visit.
  /// - Throws: `corrupt`, also if an event does not follow the previous one of its branch and no
  ///   run confirms its place; any error that `body` throws.
  func visit(
    _ positions: ClosedRange<UInt64>, noteMisplaced: (UInt64) -> Void = { _ in },
    _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    // By branch: the sequence of the next event (0 before the branch's first event) and the last
    // sequence.
    var places = snapshot.state.branches.map { (next: UInt64(0), last: $0.headSequence.rawValue) }
    return try visitRecords(positions) { position, record in
      var record = record
      var branch = Int(record.branch)
      if branch >= places.count || record.sequence != places[branch].next || record.sequence == 0
        || record.sequence > places[branch].last
      {
        record = try placed(record, at: position, noteMisplaced) { places[$0].next }
        branch = Int(record.branch)
      }
      places[branch].next = record.sequence + 1
      return try body(event(record, at: position))
    }
  }

  /// Returns an event with its correct place, if it does not directly follow the previous event of
  /// its branch.
  ///
  /// It is either the first visited event of its branch, or its own place is damaged.
  ///
  /// - Parameter next: Returns the next sequence of a branch; 0 before its first event.
  private func placed(
    _ record: EventRecord, at position: UInt64, _ noteMisplaced: (UInt64) -> Void,
    next: (Int) -> UInt64
  ) throws(LogError) -> EventRecord {
    if Int(record.branch) < replicas.count, next(Int(record.branch)) == 0,
      try snapshot.lies(record, at: position)
    {
      return record
    }
    guard let (branch, sequence) = try snapshot.place(at: position),
      [0, sequence].contains(next(Int(branch)))
    else { throw Self.misplaced(position) }
    noteMisplaced(position)
    return record.placed(branch, sequence)
  }

  /// Visits a range of sequences of a branch, all of which it must have, including the events of
  /// its parents.
  func visit(
    _ sequences: ClosedRange<UInt64>, of branch: Int, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    var sequence = sequences.lowerBound
    while sequence <= sequences.upperBound {
      guard let owner = snapshot.owner(of: sequence, on: branch) else {
        throw LogError.corrupt("branch \(branch) has no event with sequence \(sequence)")
      }
      let end = min(sequences.upperBound, lastSequence(of: owner, on: branch))
      let goesOn = try visitRecords(of: owner, sequence...end) { position, record in
        let record = try snapshot.confirmed(record, of: owner, at: sequence, position)
        sequence += 1
        return try body(event(record, at: position))
      }
      guard goesOn else { return false }
    }
    return true
  }

  /// Visits the records of a branch's own events at the positions that the runs give, without
  /// checking them.
  func visitRecords(
    of branch: UInt32, _ sequences: ClosedRange<UInt64>,
    _ body: (_ position: UInt64, EventRecord) throws -> Bool
  ) throws -> Bool {
    var sequence = sequences.lowerBound
    while sequence <= sequences.upperBound {
      guard let run = try snapshot.run(of: branch, atOrBefore: sequence),
        sequence < run.endSequence
      else {
        throw LogError.corrupt("event \(sequence) of branch \(branch) is missing from the runs")
      }
      let first = run.firstPosition + (sequence - run.firstSequence)
      let end = min(run.endSequence - 1, sequences.upperBound)
      guard try visitRecords(first...(first + (end - sequence)), body) else { return false }
      sequence = end + 1
    }
    return true
  }

  // MARK: -

  @inline(__always)
  private func visitRecords(
    _ positions: ClosedRange<UInt64>,
    _ body: (_ position: UInt64, EventRecord) throws -> Bool
  ) throws -> Bool {
    let map = snapshot.events.map
    var passed = PassedPages(map)
    defer { passed.release() }
    var cursor = snapshot.events.cursor()
    var isFound = try withUnsafeBytes(of: positions.lowerBound.bigEndian) {
      try cursor.seek(atOrAfter: $0)
    }
    var position = positions.lowerBound
    while isFound, let (page, start) = cursor.leaf {
      passed.add(page)
      for index in start..<page.count {
        guard try body(position, record(page.cell(index), at: position, map)) else { return false }
        if position == positions.upperBound { return true }
        position += 1
      }
      isFound = try cursor.nextLeaf()
    }
    throw LogError.corrupt("the event at position \(position) is missing")
  }

  @inline(__always)
  private func record(
    _ cell: TreeCell, at position: UInt64, _ map: PageMap
  ) throws(LogError) -> EventRecord {
    guard cell.keyByteCount == 8,
      UInt64(bigEndian: (cell.start + 8).loadUnaligned(as: UInt64.self)) == position
    else { throw .corrupt("the event at position \(position) is missing") }
    return try EventRecord(cell.value(map), at: position)
  }

  @inline(__always)
  private func event(_ record: EventRecord, at position: UInt64) -> RawEvent {
    RawEvent(
      position: Position(rawValue: position), branch: BranchIndex(rawValue: record.branch),
      replica: replicas[Int(record.branch)],
      sequence: SequenceNumber(rawValue: record.sequence), id: record.id, payload: record.payload,
      redacted: record.redacted)
  }

  private static func misplaced(_ position: UInt64) -> LogError {
    .corrupt("the event at position \(position) has a wrong branch or sequence")
  }

  /// Returns the last sequence that a branch shares with one of its parents; for the branch itself,
  /// the sequence of its head.
  private func lastSequence(of owner: UInt32, on branch: Int) -> UInt64 {
    var branch = snapshot.state.branches[branch]
    var last = branch.headSequence.rawValue
    while branch.index.rawValue != owner, let parent = branch.parent {
      last = min(last, parent.sequence.rawValue)
      branch = snapshot.state.branches[Int(parent.branch.rawValue)]
    }
    return last
  }
}

/// The pages that a long scan has passed.
///
/// They are removed from the process's memory but stay in the system's cache.
private struct PassedPages {
  private let pageSize: Int
  private var low = UInt.max
  private var high: UInt = 0

  /// The number of bytes below which a system call is not worth its cost.
  private static let minByteCount: UInt = 4 << 20

  init(_ map: PageMap) {
    pageSize = map.pageSize
  }

  mutating func add(_ page: TreePage) {
    let address = UInt(bitPattern: page.start)
    low = min(low, address)
    high = max(high, address + UInt(pageSize))
  }

  func release() {
    guard high > low, high - low >= Self.minByteCount else { return }
    madvise(UnsafeMutableRawPointer(bitPattern: low), Int(high - low), MADV_DONTNEED)
  }
}
