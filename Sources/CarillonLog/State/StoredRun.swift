package import CarillonModel

/// Events of one branch that are consecutive in sequence and in position.
///
/// A run is extended in place, so the size of a log's index grows with the number of changes of
/// writer and not with the number of events.
package struct StoredRun: Hashable, Sendable {
  package let branch: UInt32
  package let firstSequence: UInt64
  package let firstPosition: UInt64
  package fileprivate(set) var count: UInt64

  /// The sequence after the last event's.
  package var endSequence: UInt64 { firstSequence + count }

  /// The position of the last event.
  package var lastPosition: UInt64 { firstPosition + count - 1 }

  /// Checks that no sum can overflow.
  ///
  /// - Throws: `corrupt`.
  package init(
    branch: UInt32, firstSequence: UInt64, firstPosition: UInt64, count: UInt64
  ) throws(LogError) {
    let range = 1..<LogLimits.maxCounter
    guard range.contains(firstSequence), range.contains(firstPosition), range.contains(count)
    else { throw .corrupt("a run of branch \(branch) is out of range") }
    self.branch = branch
    self.firstSequence = firstSequence
    self.firstPosition = firstPosition
    self.count = count
  }

  /// Returns the position of an event in the run.
  package func position(at sequence: UInt64) -> UInt64 {
    firstPosition + (sequence - firstSequence)
  }

  /// Whether an event is in the run.
  package func has(_ sequence: UInt64) -> Bool { (firstSequence..<endSequence).contains(sequence) }
}

/// The last runs of the branches that one transaction extends.
package struct ExtendedRuns {
  /// The runs by branch, which must be stored before the commit.
  package private(set) var runs: [UInt32: StoredRun] = [:]

  package init() {}

  /// Extends or starts a run for events that were written.
  ///
  /// - Parameter last: Returns the last run of the branch as it is stored.
  /// - Returns: A run that was ended by this and must be stored now.
  /// - Throws: `corrupt`, and any error of `last`.
  package mutating func extend(
    _ branch: UInt32, by count: UInt64, sequence: UInt64, position: UInt64,
    last: () throws -> StoredRun?
  ) throws -> StoredRun? {
    let ended = runs[branch]
    let added = try StoredRun(
      branch: branch, firstSequence: sequence, firstPosition: position, count: count)
    if var run = try ended ?? last(), run.endSequence == sequence,
      run.lastPosition + 1 == position
    {
      run.count += count
      runs[branch] = run
      return nil
    }
    runs[branch] = added
    return ended
  }
}
