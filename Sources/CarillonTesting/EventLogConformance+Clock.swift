internal import CarillonModel

/// Timestamps that no clock reads: they stand in the order, and end nobody's writing.
extension EventLogConformance {
  static let clock: [Check] = [
    Check("A timestamp that no clock reads moves no other writer's clock") { probe in
      for milliseconds: Int64 in [1 << 45, Timestamp(rawValue: UInt64.max >> 1).milliseconds] {
        var history = EventHistory(
          ReplicaID(high: 7, low: UInt64(milliseconds)), milliseconds: milliseconds)
        _ = try await probe.append(history.run([[1]], counter: .max))
        try expect(
          try probe.events().last?.timestamp.milliseconds, is: milliseconds, "what was appended")
      }
      let noon = UInt64(EventLogProbe.noon.milliseconds) << 16
      let first = try await probe.record("a", "b")
      let second = try await probe.record("c")
      try expect(
        (first.events + second.events).map(\.id.timestamp.rawValue),
        is: [noon, noon + 1, noon + 2],
        "the timestamps behind it")
      try expect(first.replica, is: second.replica, "the name")
      let early = try await probe.log.record(
        [NewEvent(payload: [1])], wallClock: Instant(milliseconds: 0), expecting: nil)
      try expect(
        probe.recorded(early)?.events.first?.id.timestamp.rawValue, is: noon + 3,
        "the timestamp behind the own last event")
      var other = probe.history(2)
      _ = try await probe.append(other.run(count: 2))
      try expect(try probe.log.lastPosition().rawValue, is: 8, "what others write")
    },
    Check("The greatest timestamp below 2^45 ms counts, whatever stands above it") { probe in
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
    Check("A replica whose own history ends at 2^45 ms goes on under a new name") { probe in
      let last = Instant(milliseconds: 1 << 45 - 1)
      // As many as the counter has values, so that the next is of the millisecond after.
      let events = Array(repeating: NewEvent(payload: [1]), count: 1 << 16 + 1)
      let before = try require(
        probe.recorded(try await probe.log.record(events, wallClock: last, expecting: nil)),
        "no refusal")
      try expect(before.events.last?.id.timestamp.milliseconds, is: 1 << 45, "where it ends")
      let after = try await probe.record("a")
      try expect(after.replica != before.replica, "a new name")
      try expect(try probe.log.identity().predecessor, is: before.replica, "the predecessor")
      try expect(
        after.events.map(\.id.timestamp.milliseconds), is: [EventLogProbe.noon.milliseconds],
        "the timestamp")
    },
  ]
}
