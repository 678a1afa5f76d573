package import CarillonModel
package import CarillonWire

extension EventRun {
  /// The result of verifying a run that arrived without IDs.
  package enum Verification: Sendable {
    /// The last event has the ID that the run names.
    ///
    /// The IDs are those of all events, in order.
    case intact(EventRun, ids: [EventID])
    /// The event at an index has a timestamp that is not above the previous one, or has its top bit
    /// set.
    case wrongTimestamp(place: Int)
    /// The events do not hash to the ID that the run names.
    case otherID
  }

  /// Computes the ID of each event of a run from the previous one, and compares the last with the
  /// suffix that the run names.
  ///
  /// - Parameters:
  ///   - replica: The replica that wrote the run.
  ///   - previous: The ID before the first event.
  /// - Complexity: O(bytes).
  package static func verifying(
    _ run: SyncRun, of replica: ReplicaID, after previous: EventID
  ) -> Verification {
    var last = run.firstSequence == 1 ? nil : previous.timestamp
    var id = previous
    var offset = 0
    var redacted = run.redacted.makeIterator()
    var missing = run.missing[...]
    var items: [EventRun.Item] = []
    var ids: [EventID] = []
    items.reserveCapacity(run.count)
    ids.reserveCapacity(run.count)
    for place in 0..<run.count {
      guard
        let timestamp = timestamp(
          run.milliseconds[place], counter: run.counters[place], after: last)
      else { return .wrongTimestamp(place: place) }
      let end = offset + Int(run.lengths[place])
      let item =
        if missing.first?.place == place, let known = missing.popFirst() {
          EventRun.Item(missing: known.id)
        } else if end == offset, let content = redacted.next() {
          EventRun.Item(timestamp: timestamp, redacted: content)
        } else {
          EventRun.Item(timestamp: timestamp, payload: Array(run.payloads[offset..<end]))
        }
      guard item.timestamp == timestamp else { return .otherID }
      id = item.id(
        sequence: SequenceNumber(rawValue: run.firstSequence + UInt64(place)), previous: id)
      items.append(item)
      ids.append(id)
      last = timestamp
      offset = end
    }
    guard id.suffix == run.lastSuffix else { return .otherID }
    return .intact(
      EventRun(
        replica: replica, firstSequence: SequenceNumber(rawValue: run.firstSequence),
        previous: previous, items: items, lastID: id),
      ids: ids)
  }

  /// Returns a timestamp, or nil if it is not above the previous one or has its top bit set.
  private static func timestamp(
    _ milliseconds: UInt64, counter: UInt32, after last: Timestamp?
  ) -> Timestamp? {
    let (sum, overflow) = ((last?.rawValue ?? 0) >> 16).addingReportingOverflow(milliseconds)
    guard !overflow, sum < 1 << 47 else { return nil }
    let timestamp = Timestamp(rawValue: sum << 16 | UInt64(counter))
    if let last, timestamp <= last { return nil }
    return timestamp
  }
}
