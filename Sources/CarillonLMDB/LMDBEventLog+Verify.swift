internal import CarillonLog
package import CarillonModel

extension LMDBEventLog {
  /// Reads the whole log and checks its pages, each event's ID, and that events, runs and branches
  /// agree.
  ///
  /// - Complexity: O(bytes), about 0.5 µs an event. Memory use is constant.
  package func verify(
    maxProblemCount: Int, progress: @escaping @Sendable (_ count: UInt64) -> Bool
  ) throws -> [LogProblem] {
    try handle.checkOpen()
    let log = log
    return try CheckedEvents.inTwoRanges(through: log.read { $0.state.lastPosition }) { half in
      try log.readPages { _, snapshot in
        var verification = LogVerification(
          snapshot, maxProblemCount: maxProblemCount, progress: progress)
        return try verification.checked(half)
      }
    } rest: { first, earlier in
      try log.readPages { pages, snapshot in
        try snapshot.problems(
          pages, maxCount: maxProblemCount, from: first, after: earlier, progress)
      }
    }
  }
}

extension LogSnapshot {
  /// Returns the problems of the log and of its pages.
  ///
  /// - Parameters:
  ///   - first: The position from which on events are checked.
  ///   - earlier: Returns what was found in the events before it.
  func problems(
    _ pages: PageSnapshot, maxCount: Int, from first: UInt64 = 1,
    after earlier: () throws -> CheckedEvents? = { nil },
    _ progress: @escaping @Sendable (UInt64) -> Bool = { _ in true }
  ) throws -> [LogProblem] {
    var verification = LogVerification(self, maxProblemCount: maxCount, progress: progress)
    try verification.checkPages(pages)
    return try verification.finish(from: first, after: earlier)
  }
}
