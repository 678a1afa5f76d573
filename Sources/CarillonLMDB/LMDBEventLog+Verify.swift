internal import CarillonLog
package import CarillonModel

extension LMDBEventLog {
  /// Reads the whole log and checks its pages, each event's ID, and that events, runs and branches
  /// agree.
  ///
  /// - Complexity: O(bytes), about 0.5 µs an event. Memory use is constant.
  package func verify(maxProblemCount: Int) throws -> [LogProblem] {
    try handle.checkOpen()
    return try log.readPages { pages, snapshot in
      try snapshot.problems(pages, maxCount: maxProblemCount)
    }
  }
}

extension LogSnapshot {
  /// Returns the problems of the log and of its pages.
  func problems(_ pages: PageSnapshot, maxCount: Int) throws -> [LogProblem] {
    var verification = LogVerification(self, maxProblemCount: maxCount)
    try verification.checkPages(pages)
    return try verification.run()
  }
}
