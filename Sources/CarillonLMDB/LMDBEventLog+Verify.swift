package import CarillonModel

extension LMDBEventLog {
  /// Reads the whole log: pages, every event's ID, and whether events, runs and branches agree.
  ///
  /// - Complexity: O(bytes), about 0.5 µs an event. Memory is flat.
  package func verify(maxProblemCount: Int) throws -> [LogProblem] {
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
