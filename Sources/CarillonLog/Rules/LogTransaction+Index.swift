internal import CarillonModel

/// An event that closes branches, by its own place.
package struct ClosingEvent: Sendable {
  let position: UInt64
  let branch: UInt32
  let sequence: UInt64
  let closed: BranchesClosed
}

extension LogTransaction {
  /// Writes the runs, the heads of branches and the missing closings again, from the events.
  func rebuildIndex() throws {
    for event in try rebuildRuns() {
      let isNoted = state.branches[Int(event.branch)].closings.contains {
        $0.sequence.rawValue == event.sequence
      }
      // A damaged event closes nothing until it is repaired.
      guard !isNoted, try isIntact(self.event(at: event.position)),
        try places(of: event.closed) != nil
      else { continue }
      try note(event.closed, at: event.position, on: event.branch, sequence: event.sequence)
    }
  }
}

extension RunIndexedView {
  /// Calls `body` with the runs that the events' own places give.
  ///
  /// - Returns: The events that close branches.
  /// - Throws: `corrupt` if an event does not follow the one before it in its branch, or if a
  ///   branch does not end with its head.
  /// - Complexity: O(bytes). Memory use is constant.
  package func visitRunsOfEvents(_ body: (StoredRun) throws -> Void) throws -> [ClosingEvent] {
    var closings: [ClosingEvent] = []
    var next = state.branches.map(\.firstSequence.rawValue)
    var first: (branch: UInt32, sequence: UInt64, position: UInt64)?
    func end(before position: UInt64) throws {
      guard let first else { return }
      try body(
        StoredRun(
          branch: first.branch, firstSequence: first.sequence, firstPosition: first.position,
          count: position - first.position))
    }
    let last = state.lastPosition
    guard last > 0 else { return [] }
    _ = try visitRows(1...last) { row in
      let (branch, position) = (row.branch.rawValue, row.position.rawValue)
      guard next.indices.contains(Int(branch)), next[Int(branch)] == row.sequence.rawValue else {
        throw LogError.corrupt("the event at position \(position) has a wrong branch or sequence")
      }
      next[Int(branch)] += 1
      if first?.branch != branch {
        try end(before: position)
        first = (branch, row.sequence.rawValue, position)
      }
      if let closed = BranchesClosed(written: row.payload) {
        closings.append(
          ClosingEvent(
            position: position, branch: branch, sequence: row.sequence.rawValue, closed: closed))
      }
      return true
    }
    try end(before: last + 1)
    for branch in state.branches
    where next[Int(branch.index.rawValue)] != branch.headSequence.rawValue + 1 {
      throw LogError.corrupt("branch \(branch.index.rawValue) does not end with its head")
    }
    return closings
  }
}
