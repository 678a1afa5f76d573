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
    let timestamps = try timestamps(count: events.count, wallClock: wallClock)
    let ids = EventChain.ids(
      of: events, at: timestamps, wallClock: wallClock,
      from: SequenceNumber(rawValue: sequence + 1), after: previous)
    self = ChainBase(
      replica: replica, sequence: sequence + UInt64(events.count), previous: ids.last ?? previous,
      greatest: timestamps.reduce(greatest) { Timestamp.greatest($1, $0) })
    return ids
  }

  /// Returns the timestamps of the next events.
  ///
  /// - Throws: `clockExhausted`.
  func timestamps(count: Int, wallClock: Instant) throws(ModelError) -> [Timestamp] {
    var timestamps: [Timestamp] = []
    timestamps.reserveCapacity(count)
    var greatest = greatest
    for _ in 0..<count {
      let timestamp = try Timestamp.next(
        wallClock: wallClock, after: greatest, behind: timestamps.last ?? last)
      greatest = Timestamp.greatest(timestamp, greatest)
      timestamps.append(timestamp)
    }
    return timestamps
  }
}

/// IDs that were computed before the transaction that writes them, and the base that they follow.
///
/// They are valid if the base is unchanged in the transaction.
package struct PreparedIDs: Sendable {
  let base: ChainBase
  let ids: [EventID]
}
