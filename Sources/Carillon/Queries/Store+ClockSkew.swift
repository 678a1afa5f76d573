import CarillonModel

extension Store {
  /// Returns by how many milliseconds each replica's latest event is ahead of `now`, for replicas
  /// whose own clock was more than a minute ahead.
  ///
  /// A replica that synced with one whose clock is ahead also writes timestamps that are ahead, but
  /// its own clock is right. The first event ahead of `now` distinguishes the two: its counter is 0
  /// if the replica's own clock gave the time, and greater than 0 if the event follows another
  /// replica's event.
  ///
  /// - Complexity: O(log(events)) for each replica that is ahead.
  func clockSkew(_ replicas: [ReplicaInfo], now: Instant) throws -> [ReplicaID: Int64] {
    var skew: [ReplicaID: Int64] = [:]
    for replica in replicas where replica.head.timestamp.isAhead(of: now) {
      guard let branch = replica.branches.first(where: { $0.headID == replica.head }),
        try firstTimestamp(on: branch, aheadOf: now).rawValue & 0xFFFF == 0
      else { continue }
      skew[replica.replica] = replica.head.timestamp.milliseconds - now.milliseconds
    }
    return skew
  }

  /// Returns the timestamp of the first event of a branch that is ahead of `now`.
  ///
  /// The head must be ahead.
  private func firstTimestamp(on branch: Branch, aheadOf now: Instant) throws -> Timestamp {
    var (first, last) = (branch.firstSequence.rawValue, branch.headSequence.rawValue)
    var found = branch.headID.timestamp
    while first < last {
      let middle = first + (last - first) / 2
      let timestamp = try log.id(on: branch.index, at: SequenceNumber(rawValue: middle))?.timestamp
      if let timestamp, timestamp.isAhead(of: now) {
        (last, found) = (middle, timestamp)
      } else {
        first = middle + 1
      }
    }
    return found
  }
}

extension Timestamp {
  /// Whether the timestamp is more than a minute ahead of `now`.
  ///
  /// Smaller differences between clocks are normal.
  func isAhead(of now: Instant) -> Bool {
    milliseconds - now.milliseconds > 60_000
  }
}
