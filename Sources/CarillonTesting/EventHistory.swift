package import CarillonModel

/// The history of another replica, for tests that append or sync events.
///
/// A history is a value: continuing a copy creates a fork.
package struct EventHistory: Sendable {
  /// The replica that writes it.
  package let replica: ReplicaID
  /// The sequence of the last event; 0 before the first.
  package private(set) var sequence: UInt64 = 0
  /// The ID of the last event.
  package private(set) var last: EventID
  /// The milliseconds of the next event's timestamp.
  package var milliseconds: Int64

  /// Starts a history whose first event has the timestamp `milliseconds` since 1970.
  package init(_ replica: ReplicaID, milliseconds: Int64 = 1_000_000) {
    self.replica = replica
    self.milliseconds = milliseconds
    last = EventChain.root(of: replica)
  }

  /// Continues after events that were already written, as a clone does.
  ///
  /// - Parameter events: All events of the replica, in order.
  package mutating func resume(after events: [StoredEvent]) {
    guard let event = events.last else { return }
    sequence = event.sequence.rawValue
    last = event.id
    milliseconds = max(milliseconds, event.timestamp.milliseconds + 1)
  }

  /// Adds events with timestamps one millisecond apart, and returns them as a run.
  ///
  /// - Parameters:
  ///   - payloads: At least one.
  ///   - counter: The counter of every timestamp within its millisecond.
  package mutating func run(_ payloads: [[UInt8]], counter: UInt16 = 0) -> EventRun {
    let previous = last
    let first = SequenceNumber(rawValue: sequence + 1)
    let items = payloads.map { payload in
      let item = EventRun.Item(
        timestamp: Timestamp(rawValue: UInt64(milliseconds) << 16 | UInt64(counter)),
        payload: payload)
      milliseconds += 1
      sequence += 1
      last = EventChain.id(
        sequence: SequenceNumber(rawValue: sequence), timestamp: item.timestamp, previous: last,
        payload: PayloadDigest(payload))
      return item
    }
    return EventRun(
      replica: replica, firstSequence: first, previous: previous, items: items, lastID: last)
  }

  /// Adds a number of small events with numbered payloads, and returns them as a run.
  package mutating func run(count: Int, text: String = "event") -> EventRun {
    let first = sequence + 1
    return run((0..<UInt64(count)).map { Array("\(text) \(first + $0)".utf8) })
  }
}

extension EventRun {
  /// Returns a part of the run as a run.
  ///
  /// - Parameter range: Indices of items, at least one.
  package func slice(_ range: Range<Int>) -> EventRun {
    var ids = [previous]
    for (index, item) in items.enumerated() {
      ids.append(
        EventChain.id(
          sequence: SequenceNumber(rawValue: firstSequence.rawValue + UInt64(index)),
          timestamp: item.timestamp, previous: ids[index], payload: item.digest))
    }
    return EventRun(
      replica: replica,
      firstSequence: SequenceNumber(rawValue: firstSequence.rawValue + UInt64(range.lowerBound)),
      previous: ids[range.lowerBound], items: Array(items[range]), lastID: ids[range.upperBound])
  }
}
