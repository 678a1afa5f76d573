public import CarillonModel

/// A replica's history as another device would write it, for what is appended and synced in tests.
///
/// It is a value: a copy that goes on is a fork.
public struct EventHistory: Sendable {
  /// Who writes it.
  public let replica: ReplicaID
  /// The sequence of the last event; 0 before the first.
  public private(set) var sequence: UInt64 = 0
  /// The ID of the last event.
  public private(set) var last: EventID
  /// The milliseconds of the next event's timestamp.
  public var milliseconds: Int64

  /// Begins a history; its first event is of `milliseconds` since 1970.
  public init(_ replica: ReplicaID, milliseconds: Int64 = 1_000_000) {
    self.replica = replica
    self.milliseconds = milliseconds
    last = EventChain.root(of: replica)
  }

  /// Goes on from events that were written already, as a clone does.
  ///
  /// - Parameter events: All of the replica's, in order.
  public mutating func resume(after events: [Event]) {
    guard let event = events.last else { return }
    sequence = event.sequence.rawValue
    last = event.id
    milliseconds = max(milliseconds, event.timestamp.milliseconds + 1)
  }

  /// Goes on by events a millisecond apart and gives them as a run.
  ///
  /// - Parameters:
  ///   - payloads: At least one.
  ///   - counter: That of every timestamp, within its millisecond.
  public mutating func run(_ payloads: [[UInt8]], counter: UInt16 = 0) -> EventRun {
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

  /// Goes on by a number of small events, whose payloads say which they are.
  public mutating func run(count: Int, text: String = "event") -> EventRun {
    let first = sequence + 1
    return run((0..<UInt64(count)).map { Array("\(text) \(first + $0)".utf8) })
  }
}

extension EventRun {
  /// A part of the run as a run of its own.
  ///
  /// - Parameter range: Indices of items, at least one.
  public func slice(_ range: Range<Int>) -> EventRun {
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
