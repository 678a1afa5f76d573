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
  /// - Complexity: O(bytes).
  mutating func extend(by events: [NewEvent], wallClock: Instant) throws(ModelError) -> [EventID] {
    var timestamps: [Timestamp] = []
    timestamps.reserveCapacity(events.count)
    var greatest = greatest
    for _ in events {
      let timestamp = try Timestamp.next(
        wallClock: wallClock, after: greatest, behind: timestamps.last ?? last)
      greatest = Timestamp.greatest(timestamp, greatest)
      timestamps.append(timestamp)
    }
    let ids = EventChain.ids(
      of: events, at: timestamps, wallClock: wallClock,
      from: SequenceNumber(rawValue: sequence + 1), after: previous)
    self = ChainBase(
      replica: replica, sequence: sequence + UInt64(events.count), previous: ids.last ?? previous,
      greatest: greatest)
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
