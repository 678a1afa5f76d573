internal import CarillonModel

/// Timestamps that no clock returns: they sort normally, and never prevent a replica from writing.
extension EventLogConformance {
  static let clock: [Check] = [
    Check("A timestamp that no clock returns does not move another writer's clock") { probe in
      for milliseconds: Int64 in [1 << 45, Timestamp(rawValue: UInt64.max >> 1).milliseconds] {
        var history = EventHistory(
          ReplicaID(high: 7, low: UInt64(milliseconds)), milliseconds: milliseconds)
        _ = try await probe.append(history.run([[1]], counter: .max))
        try expect(
          try probe.events().last?.timestamp.milliseconds, is: milliseconds, "the appended event")
      }
      let noon = UInt64(EventLogProbe.noon.milliseconds) << 16
      let first = try await probe.record("a", "b")
      let second = try await probe.record("c")
      try expect(
        (first.events + second.events).map(\.id.timestamp.rawValue),
        is: [noon, noon + 1, noon + 2],
        "the timestamps after it")
      try expect(first.replica, is: second.replica, "the replica")
      let early = try await probe.log.record(
        [NewEvent(payload: [1])], wallClock: Instant(milliseconds: 0), expecting: nil)
      try expect(
        probe.recorded(early)?.events.first?.id.timestamp.rawValue, is: noon + 3,
        "the timestamp after the last own event")
      var other = probe.history(2)
      _ = try await probe.append(other.run(count: 2))
      try expect(try probe.log.lastPosition().rawValue, is: 8, "events of others")
    },
    Check("The greatest timestamp below 2^45 ms sets the clock, even if others are above it") {
      probe in
      for (number, milliseconds) in [1 << 45 - 1 as Int64, 1 << 46].enumerated() {
        var history = EventHistory(
          ReplicaID(high: 7, low: UInt64(number)), milliseconds: milliseconds)
        _ = try await probe.append(history.run([[1]]))
      }
      let recorded = try await probe.record("a")
      try expect(
        recorded.events.map(\.id.timestamp.rawValue), is: [(1 << 45 - 1) << 16 + 1],
        "one more than the greatest that counts")
    },
    Check("A replica whose own history ends at 2^45 ms continues under a new ID") { probe in
      let last = Instant(milliseconds: 1 << 45 - 1)
      // One more event than the counter has values, so that the next one is in the next
      // millisecond.
      let events = Array(repeating: NewEvent(payload: [1]), count: 1 << 16 + 1)
      let before = try require(
        probe.recorded(try await probe.log.record(events, wallClock: last, expecting: nil)),
        "no refusal")
      try expect(before.events.last?.id.timestamp.milliseconds, is: 1 << 45, "the last timestamp")
      let after = try await probe.record("a")
      try expect(after.replica != before.replica, "a new replica ID")
      try expect(try probe.log.identity().predecessor, is: before.replica, "the predecessor")
      try expect(
        after.events.map(\.id.timestamp.milliseconds), is: [EventLogProbe.noon.milliseconds],
        "the timestamp")
    },
  ]
}
