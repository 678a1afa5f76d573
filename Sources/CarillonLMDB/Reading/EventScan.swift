internal import CarillonLog
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
      var (branch, sequence) = (record.branch, record.sequence)
      if Int(branch) >= places.count || sequence != places[Int(branch)].next || sequence == 0
        || sequence > places[Int(branch)].last
      {
        let place = try snapshot.place(of: record.header, at: position) { places[$0].next }
        if place.isMisplaced { noteMisplaced(position) }
        (branch, sequence) = (place.branch, place.sequence)
      }
      places[Int(branch)].next = sequence + 1
      return try body(event(record, at: position, of: branch, sequence))
    }
  }

  /// Visits the records in a range of positions, without checking their places.
  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try visitRecords(positions) { position, record in
      try body(event(record, at: position, of: record.branch, record.sequence))
    }
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
  private func event(
    _ record: EventRecord, at position: UInt64, of branch: UInt32, _ sequence: UInt64
  ) -> RawEvent {
    RawEvent(
      position: LogPosition(rawValue: position), branch: BranchIndex(rawValue: branch),
      // A record with a wrong place may name a branch that does not exist.
      replica: Int(branch) < replicas.count ? replicas[Int(branch)] : ReplicaID(high: 0, low: 0),
      sequence: SequenceNumber(rawValue: sequence), id: record.id, payload: record.payload,
      redacted: record.redacted)
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
