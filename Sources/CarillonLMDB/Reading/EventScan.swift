internal import CLMDB
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

  /// Visits the records in a range of positions, without checking their places.
  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try visitRecords(positions) { position, record in
      // A record with a wrong place may name a branch that does not exist.
      let branch = Int(record.branch)
      return try body(
        RawEvent(
          position: LogPosition(rawValue: position),
          branch: BranchIndex(rawValue: record.branch),
          replica: branch < replicas.count ? replicas[branch] : ReplicaID(high: 0, low: 0),
          sequence: SequenceNumber(rawValue: record.sequence), id: record.id,
          payload: record.payload, redacted: record.redacted))
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
      // Mostly the next leaf, because events are written in order. The processor fetches ahead by
      // itself only within a page.
      clmdb_prefetch(page.start + map.pageSize, map.pageSize)
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
