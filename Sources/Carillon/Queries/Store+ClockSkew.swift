import CarillonModel

extension Store {
  /// By how many milliseconds a replica's latest event is ahead of a moment, of those whose own
  /// clock was ahead by more than a minute.
  ///
  /// A replica that synced with one whose clock is ahead writes after its events too, and is not to
  /// blame: the first event ahead has the counter 0 where its own clock gave the time, and another
  /// one where it follows another's event.
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

  /// The timestamp of the first event of a branch that is ahead; the head is one.
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
  /// Whether it is further ahead of a moment than clocks differ without a word: by a minute.
  func isAhead(of now: Instant) -> Bool {
    milliseconds - now.milliseconds > 60_000
  }
}
