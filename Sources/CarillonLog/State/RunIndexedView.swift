internal import CarillonModel

/// A view of a log that finds events by its runs, as logs in files do.
package protocol RunIndexedView: LogView {
  /// Returns the run of a branch that contains a sequence, or the last run before it; nil if there
  /// is neither.
  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws -> StoredRun?

  /// Calls `body` for all runs until it returns false.
  func visitRuns(_ body: (StoredRun) throws -> Bool) throws
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
  package func visitRuns(
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
  package func place(
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
