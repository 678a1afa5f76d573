package import CarillonModel

/// A run whose computed IDs end with the ID that it names.
package struct VerifiedRun: Sendable {
  package private(set) var run: EventRun
  /// The IDs of the items, one for each.
  package let ids: [EventID]
  /// The branches that the run's events close, with the index of each event in the run.
  let closings: [(index: Int, closed: BranchesClosed)]

  /// Returns the sequence of an item.
  func sequence(_ index: Int) -> UInt64 { run.firstSequence.rawValue + UInt64(index) }

  /// Returns the run with other contents, which must have the same digests.
  func with(_ items: [EventRun.Item]) -> VerifiedRun {
    var other = self
    other.run = EventRun(
      replica: run.replica, firstSequence: run.firstSequence, previous: run.previous,
      items: items, lastID: run.lastID)
    return other
  }

  /// Verifies a run without the log.
  ///
  /// - Parameter index: The index of the run in the call, for messages.
  /// - Throws: `corruptRun`.
  /// - Complexity: O(bytes).
  package init(_ run: EventRun, index: Int) throws(LogError) {
    let name = "run \(index) (\(run.replica) from \(run.firstSequence.rawValue))"
    func refusal(_ problem: String) -> LogError {
      LogError(code: .corruptRun, message: "\(name) is refused: \(problem)")
    }
    guard !run.items.isEmpty else { throw refusal("it has no events") }
    let limit = LogLimits.maxCounter - UInt64(run.items.count)
    guard (1...limit).contains(run.firstSequence.rawValue) else {
      throw refusal("its first sequence is out of range")
    }
    guard
      run.firstSequence != .first || run.previous == EventChain.root(of: run.replica)
    else { throw refusal("its first event does not follow the replica's root") }
    var ids: [EventID] = []
    ids.reserveCapacity(run.items.count)
    var closings: [(Int, BranchesClosed)] = []
    var sequence = run.firstSequence
    var previous = run.previous
    for item in run.items {
      guard item.hasAllowedSize else {
        throw refusal(
          "event \(sequence.rawValue) has \(item.payload.count) bytes, must be 1 to "
            + "\(StoredEvent.maxPayloadBytes)")
      }
      // Before a replica's first event, the previous ID is a hash without a timestamp.
      guard !item.timestamp.isExhausted,
        sequence == .first || item.timestamp > previous.timestamp
      else {
        throw refusal("the timestamp of event \(sequence.rawValue) is not after the previous one")
      }
      previous = item.id(sequence: sequence, previous: previous)
      if let closed = item.closing { closings.append((ids.count, closed)) }
      ids.append(previous)
      sequence = sequence.next
    }
    guard run.items.last?.missingID == nil else {
      throw refusal("nothing confirms the ID of its last event, whose content is missing")
    }
    guard previous == run.lastID else {
      throw refusal("its events do not hash to the ID that it names")
    }
    self.run = run
    self.ids = ids
    self.closings = closings
  }
}
