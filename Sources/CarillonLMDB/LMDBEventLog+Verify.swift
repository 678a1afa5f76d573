internal import CarillonModel

extension LMDBEventLog {
  /// Reads the whole log: pages, every event's ID, and whether events, runs and branches agree.
  ///
  /// - Parameter maxProblemCount: After how many problems to stop. Of events whose content is
  ///   missing as many are listed besides.
  /// - Returns: What is wrong, then the events whose content is missing; empty where nothing is.
  /// - Throws: `closed`, `busy`, `io`, and `corrupt` where the log cannot be read at all.
  /// - Complexity: O(bytes), about 0.5 µs an event. Memory is flat.
  public func verify(maxProblemCount: Int = 100) throws -> [LogProblem] {
    try checkOpen()
    return try log.readPages { pages, snapshot in
      var verification = LogVerification(snapshot, maxProblemCount: maxProblemCount)
      verification.checkPages(pages)
      try verification.checkEvents()
      verification.checkRuns()
      verification.checkHeads()
      verification.checkClosings()
      return verification.problems + verification.missing
    }
  }
}
