package import CarillonModel

/// A view of a log that finds events by its runs, as logs in files do.
package protocol RunIndexedView: ScannableView {
  /// Returns the run of a branch that contains a sequence, or the last run before it; nil if there
  /// is neither.
  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws -> StoredRun?

  /// Calls `body` for all runs until it returns false.
  func visitRuns(_ body: (StoredRun) throws -> Bool) throws

  /// Calls `body` with the events in a range of positions, without checking their places, until it
  /// returns false.
  ///
  /// - Returns: False if `body` returned false.
  /// - Throws: `corrupt` if an event is missing; any error that `body` throws.
  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool
}

extension RunIndexedView {
  package func position(of branch: UInt32, at sequence: UInt64) throws -> UInt64 {
    guard let run = try run(of: branch, atOrBefore: sequence), run.has(sequence) else {
      throw LogError.corrupt("event \(sequence) of branch \(branch) is missing from the runs")
    }
    let position = run.position(at: sequence)
    guard position <= state.lastPosition else {
      throw LogError.corrupt("a run of branch \(branch) ends after the last event")
    }
    return position
  }

  /// Calls `body` with the positions of a branch's own events according to the runs.
  func visitRuns(
    of branch: UInt32, _ sequences: ClosedRange<UInt64>,
    _ body: (ClosedRange<UInt64>) throws -> Bool
  ) throws -> Bool {
    var sequence = sequences.lowerBound
    while sequence <= sequences.upperBound {
      guard let run = try run(of: branch, atOrBefore: sequence), run.has(sequence) else {
        throw LogError.corrupt("event \(sequence) of branch \(branch) is missing from the runs")
      }
      let end = min(run.endSequence - 1, sequences.upperBound)
      guard try body(run.position(at: sequence)...run.position(at: end)) else { return false }
      sequence = end + 1
    }
    return true
  }

  package func visitRows(
    of branch: UInt32, _ sequences: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try visitRuns(of: branch, sequences) { try visitRows($0, body) }
  }

  package func visit(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try visit(positions) { event, _ in try body(event) }
  }

  /// Calls `body` with the events in a range of positions, all of which the log must have, until it
  /// returns false.
  ///
  /// - Parameter body: Receives each event, and whether its own place is damaged. Such an event has
  ///   the place that its run gives.
  /// - Returns: False if `body` returned false.
  /// - Throws: `corrupt`, also if an event does not follow the previous one of its branch and no
  ///   run confirms its place; any error that `body` throws.
  package func visit(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent, _ isMisplaced: Bool) throws -> Bool
  ) throws -> Bool {
    // By branch: the sequence of the next event (0 before the branch's first event) and the last
    // sequence.
    var places = state.branches.map { (next: UInt64(0), last: $0.headSequence.rawValue) }
    return try visitRows(positions) { row in
      let (branch, sequence) = (Int(row.branch.rawValue), row.sequence.rawValue)
      if branch < places.count, sequence == places[branch].next, sequence != 0,
        sequence <= places[branch].last
      {
        places[branch].next = sequence + 1
        return try body(row, false)
      }
      let place = try place(of: row.header, at: row.position.rawValue) { places[$0].next }
      places[Int(place.branch)].next = place.sequence + 1
      return try body(placed(row, place.branch, place.sequence), place.isMisplaced)
    }
  }

  /// Returns the place of the event at a position according to the runs; nil if no run contains it.
  ///
  /// - Complexity: O(runs).
  func place(at position: UInt64) throws -> (branch: UInt32, sequence: UInt64)? {
    var place: (UInt32, UInt64)?
    try visitRuns { run in
      guard (run.firstPosition...run.lastPosition).contains(position),
        state.has(run.branch, run.endSequence - 1)
      else { return true }
      place = (run.branch, run.firstSequence + (position - run.firstPosition))
      return false
    }
    return place
  }

  /// Returns the correct place of an event that does not directly follow the previous event of its
  /// branch.
  ///
  /// It is either the first visited event of its branch, or its own place is damaged.
  ///
  /// - Parameter next: Returns the next sequence of a branch; 0 before its first event.
  /// - Returns: The place, and whether it differs from the place that the event names.
  /// - Throws: `corrupt` if no run confirms the place.
  func place(
    of header: EventHeader, at position: UInt64, next: (Int) -> UInt64
  ) throws -> (branch: UInt32, sequence: UInt64, isMisplaced: Bool) {
    if state.branches.indices.contains(Int(header.branch)), next(Int(header.branch)) == 0,
      let run = try run(of: header.branch, atOrBefore: header.sequence),
      run.has(header.sequence), run.position(at: header.sequence) == position
    {
      return (header.branch, header.sequence, false)
    }
    guard let place = try place(at: position),
      [0, place.sequence].contains(next(Int(place.branch)))
    else {
      throw LogError.corrupt("the event at position \(position) has a wrong branch or sequence")
    }
    return (place.branch, place.sequence, true)
  }
}
