internal import CarillonModel

/// The state that a new own event follows: everything outside the event that its timestamp and ID
/// depend on.
struct ChainBase: Hashable, Sendable {
  let replica: ReplicaID
  /// The sequence of the last own event; 0 before the first.
  var sequence: UInt64
  var previous: EventID
  /// The greatest timestamp in the log that counts for the clock.
  var greatest: Timestamp?

  /// The timestamp of the last own event.
  ///
  /// Before the first event, `previous` is a hash without a timestamp.
  var last: Timestamp? { sequence > 0 ? previous.timestamp : nil }

  /// Computes timestamps and IDs for new events, and advances the base past them.
  ///
  /// - Throws: `clockExhausted`.
  /// - Complexity: O(events), with one short hash for each.
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

/// IDs that were computed before the transaction that writes them, and the base that they follow.
///
/// They are valid if the base is unchanged in the transaction.
package struct PreparedIDs: Sendable {
  let base: ChainBase
  let ids: [EventID]
}
