extension Instant {
  /// The largest difference between two correct clocks, in seconds.
  private static let clockToleranceSeconds = 300

  /// The latest timestamp that a correct clock can have recorded by this instant.
  package var lastKnown: Instant { adding(seconds: Self.clockToleranceSeconds) }

  /// The first instant at which a record with this timestamp counts.
  fileprivate var firstKnown: Instant { adding(seconds: -Self.clockToleranceSeconds) }
}

extension StoreState {
  /// Returns the state without receipts, entry times and creations of schedules that a clock ahead
  /// of a moment recorded.
  ///
  /// A device that once ran with its clock ahead recorded future notifications as delivered. A
  /// schedule that it created counts as one that always existed.
  ///
  /// - Returns: The remaining state, and the instant at which the first removed record counts. That
  ///   instant is nil if nothing was removed.
  /// - Complexity: O(receipts, entry times and schedules).
  consuming func known(by moment: Instant) -> (state: StoreState, next: Instant?) {
    let last = moment.lastKnown
    var first: Instant?
    for (habit, own) in receipts {
      guard let least = own.lazy.map(\.recordedAt).filter({ $0 > last }).min() else { continue }
      first = min(first ?? least, least)
      receipts[habit] = own.filter { $0.recordedAt <= last }
    }
    for (habit, times) in entryTimes {
      guard let least = times.lazy.filter({ $0 > last }).min() else { continue }
      first = min(first ?? least, least)
      entryTimes[habit] = times.filter { $0 <= last }
    }
    for (habit, own) in scheduleCreated {
      guard let least = own.values.lazy.filter({ $0 > last }).min() else { continue }
      first = min(first ?? least, least)
      scheduleCreated[habit] = own.filter { $0.value <= last }
    }
    return (self, first?.firstKnown)
  }
}
