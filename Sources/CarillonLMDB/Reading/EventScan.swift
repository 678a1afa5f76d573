internal import CarillonModel
internal import Foundation

/// Visits the events of one snapshot in order, at raw pointers.
struct EventScan {
  private let snapshot: LogSnapshot
  private let replicas: [ReplicaID]

  init(_ snapshot: LogSnapshot) {
    self.snapshot = snapshot
    replicas = snapshot.state.branches.map(\.replica)
  }

  /// Visits the events at positions, all of which the log has.
  ///
  /// - Returns: False where `body` wanted no more.
  /// - Throws: `corrupt`, and what `body` throws.
  mutating func visit(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
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
        let cell = try page.cell(index)
        guard try body(event(cell, at: position, map)) else { return false }
        if position == positions.upperBound { return true }
        position += 1
      }
      isFound = try cursor.nextLeaf()
    }
    throw LogError.corrupt("the event at position \(position) is missing")
  }

  /// Visits the events at places of a branch, all of which it has, those of its parents included.
  mutating func visit(
    _ sequences: ClosedRange<UInt64>, of branch: Int, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    var sequence = sequences.lowerBound
    while sequence <= sequences.upperBound {
      guard let owner = snapshot.owner(of: sequence, on: branch),
        let run = try snapshot.run(of: owner, atOrBefore: sequence), sequence < run.endSequence
      else { throw LogError.corrupt("event \(sequence) of branch \(branch) is in no run") }
      let end = min(run.endSequence - 1, sequences.upperBound, lastSequence(of: owner, on: branch))
      let first = run.firstPosition + (sequence - run.firstSequence)
      let goesOn = try visit(first...(first + (end - sequence))) { event in
        guard event.branch.rawValue == owner, event.sequence.rawValue == sequence else {
          throw LogError.corrupt("position \(event.position.rawValue) is not where its run says")
        }
        sequence += 1
        return try body(event)
      }
      guard goesOn else { return false }
    }
    return true
  }

  // MARK: -

  @inline(__always)
  private func event(
    _ cell: TreeCell, at position: UInt64, _ map: PageMap
  ) throws(LogError) -> RawEvent {
    guard cell.keyByteCount == 8,
      UInt64(bigEndian: (cell.start + 8).loadUnaligned(as: UInt64.self)) == position
    else { throw .corrupt("the event at position \(position) is missing") }
    let record = try EventRecord(cell.value(map), at: position)
    guard record.branch < replicas.count else {
      throw .corrupt("the event at position \(position) names branch \(record.branch)")
    }
    return RawEvent(
      position: Position(rawValue: position), branch: BranchIndex(rawValue: record.branch),
      replica: replicas[Int(record.branch)],
      sequence: SequenceNumber(rawValue: record.sequence), id: record.id, payload: record.payload,
      bare: record.bare)
  }

  /// Where the way from one of its parents to a branch leaves the parent.
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

/// The pages that a long scan has behind it, which it takes out of the process' memory; they stay
/// in the system's.
private struct PassedPages {
  private let pageSize: Int
  private var low = UInt.max
  private var high: UInt = 0

  /// Below this many bytes it is not worth a call.
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
