extension Instant {
  /// How far two clocks that are right may be apart, in seconds.
  private static let clockToleranceSeconds = 300

  /// The last moment of which, at this one, a clock that is right may have recorded something.
  package var lastKnown: Instant { adding(seconds: Self.clockToleranceSeconds) }

  /// The first moment at which what was recorded at this one is known.
  fileprivate var firstKnown: Instant { adding(seconds: -Self.clockToleranceSeconds) }
}

extension State {
  /// It without what a clock ahead of a moment recorded: receipts and entry times.
  ///
  /// A device that ran once with its clock ahead recorded what is still to come as shown.
  ///
  /// - Returns: That, and when the first of what was left out is known; nil where nothing was.
  /// - Complexity: O(receipts and entry times).
  consuming func known(by moment: Instant) -> (state: State, next: Instant?) {
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
    return (self, first?.firstKnown)
  }
}
