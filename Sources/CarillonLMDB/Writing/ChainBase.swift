internal import CarillonModel

/// What the next own event follows: all that its timestamp and ID depend on besides itself.
struct ChainBase: Hashable, Sendable {
  let replica: ReplicaID
  /// The sequence of the last own event; 0 before the first.
  var sequence: UInt64
  var previous: EventID
  /// The greatest timestamp in the log that counts.
  var greatest: Timestamp?

  /// The timestamp of the last own event; what stands before the first is a hash.
  var last: Timestamp? { sequence > 0 ? previous.timestamp : nil }

  /// Timestamps and IDs for new events, and goes on behind them.
  ///
  /// - Throws: `clockExhausted`.
  /// - Complexity: O(events): one short hash each.
  mutating func extend(by events: [NewEvent], wallClock: Instant) throws(ModelError) -> [EventID] {
    var ids: [EventID] = []
    ids.reserveCapacity(events.count)
    var next = self
    for event in events {
      let timestamp = try Timestamp.next(
        wallClock: wallClock, after: next.greatest, behind: next.last)
      next.sequence += 1
      next.previous = EventChain.id(
        sequence: SequenceNumber(rawValue: next.sequence), timestamp: timestamp,
        previous: next.previous,
        payload: event.digest(under: timestamp, wallClock: wallClock))
      next.greatest = Timestamp.greatest(timestamp, next.greatest)
      ids.append(next.previous)
    }
    self = next
    return ids
  }
}

/// IDs made before the transaction that writes them, and what they follow.
///
/// They hold if that is still so there.
struct PreparedIDs: Sendable {
  let base: ChainBase
  let ids: [EventID]
}
