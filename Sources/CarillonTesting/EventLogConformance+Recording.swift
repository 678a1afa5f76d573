internal import CarillonModel

extension EventLogConformance {
  static let recording: [Check] = [
    Check("An empty log has no events and no branches") { probe in
      try expect(try probe.log.lastPosition(), is: .start, "the last position")
      try expect(try probe.log.branches().isEmpty, "no branches")
      try expect(try probe.events().isEmpty, "no events")
      try expect(probe.log.storeID, is: probe.store, "the store")
      try expect(
        try probe.log.identity(),
        is: ReplicaIdentity(replica: probe.replica, predecessor: nil, isAnnounced: true), "identity"
      )
    },
    Check("New events get gap-free positions and sequences, and chained IDs") { probe in
      let first = try await probe.record("a", "b")
      let second = try await probe.record("c")
      try expect(first.replica, is: probe.replica, "the replica")
      let written = first.events + second.events
      try expect(written.map(\.position.rawValue), is: [1, 2, 3], "positions")
      try expect(written.map(\.sequence.rawValue), is: [1, 2, 3], "sequences")
      var previous = EventChain.root(of: probe.replica)
      for (event, written) in zip(try probe.events(), written) {
        previous = EventChain.id(
          sequence: event.sequence, timestamp: event.timestamp, previous: previous,
          payload: PayloadDigest(event.payload))
        try expect(event.id, is: previous, "the ID of \(event.sequence.rawValue)")
        try expect(written.id, is: previous, "the returned ID of \(event.sequence.rawValue)")
      }
      try expect(try probe.texts(), is: ["a", "b", "c"], "payloads")
    },
    Check("A timestamp is the clock's, or one more than the greatest in the log") { probe in
      let noon = UInt64(EventLogProbe.noon.milliseconds) << 16
      let first = try await probe.record("a", "b")
      try expect(
        first.events.map(\.id.timestamp.rawValue), is: [noon, noon + 1], "timestamps at one time")
      var history = probe.history()
      history.milliseconds = EventLogProbe.noon.milliseconds + 5
      _ = try await probe.append(history.run(count: 1))
      let late = try await probe.record("c")
      try expect(
        late.events.map(\.id.timestamp.rawValue), is: [noon + 5 << 16 + 1],
        "the timestamp after another replica's")
    },
    Check("An event contains its time if its timestamp is not that of its wall clock") { probe in
      let event = NewEvent(payload: [1], dated: [2])
      let noon = EventLogProbe.noon
      let later = Instant(milliseconds: noon.milliseconds + 1)
      for wallClock in [noon, noon, later, noon] {
        _ = try await probe.log.record([event, event], wallClock: wallClock, expecting: nil)
      }
      _ = try await probe.log.record(wallClock: noon) { [event] }
      try expect(
        try probe.events().map(\.payload),
        is: [[1], [1], [1], [1], [1], [1], [2], [2], [2]], "the written forms")
    },
    Check("A wall clock outside its limits is refused") { probe in
      for milliseconds in [-1, 1 << 45, Int64.min, Int64.max] {
        try await expect(throwing: .clockExhausted, "a clock of \(milliseconds)") {
          _ = try await probe.log.record(
            [NewEvent(payload: [1])], wallClock: Instant(milliseconds: milliseconds),
            expecting: nil)
        }
      }
      try expect(try probe.log.lastPosition(), is: .start, "the last position")
      _ = try await probe.log.record(
        [NewEvent(payload: [1])], wallClock: Instant(milliseconds: 1 << 45 - 1), expecting: nil)
      try expect(try probe.log.lastPosition().rawValue, is: 1, "the latest accepted clock")
    },
    Check("A payload has 1 to 16,384 bytes") { probe in
      let greatest = [UInt8](repeating: 7, count: StoredEvent.maxPayloadBytes)
      for payload in [[], greatest + [7]] {
        try await expect(throwing: .payloadTooLarge, "\(payload.count) bytes") {
          _ = try await probe.log.record(
            [NewEvent(payload: [1]), NewEvent(payload: payload)], wallClock: EventLogProbe.noon,
            expecting: nil)
        }
      }
      try expect(try probe.log.lastPosition(), is: .start, "the last position")
      let payloads = [greatest, [1], [UInt8](repeating: 8, count: 4_000), [2]]
      _ = try await probe.log.record(
        payloads.map { NewEvent(payload: $0) }, wallClock: EventLogProbe.noon, expecting: nil)
      try expect(try probe.events().map(\.payload), is: payloads, "the payloads")
    },
    Check("A caller that decided on an old head receives the new one") { probe in
      try await probe.record("a")
      let event = [NewEvent(payload: [1])]
      let late = try await probe.log.record(
        event, wallClock: EventLogProbe.noon, expecting: .start)
      try expect(late, is: .headMoved(LogPosition(rawValue: 1)), "headMoved")
      let right = try await probe.log.record(
        event, wallClock: EventLogProbe.noon, expecting: LogPosition(rawValue: 1))
      try expect(probe.recorded(right)?.events.map(\.position.rawValue) ?? [], is: [2], "written")
    },
    Check("If several callers decided on the same head, exactly one succeeds") { probe in
      let outcomes = try await withThrowingTaskGroup(of: RecordOutcome.self) { group in
        for number in 0..<16 {
          group.addTask {
            try await probe.log.record(
              [NewEvent(payload: [UInt8(number)])], wallClock: EventLogProbe.noon,
              expecting: .start)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try expect(outcomes.compactMap(probe.recorded).count, is: 1, "successful callers")
      try expect(try probe.log.lastPosition().rawValue, is: 1, "the last position")
    },
    Check("Concurrent callers get all positions, and one caller's error affects no other") {
      probe in
      let positions = try await withThrowingTaskGroup(of: [UInt64].self) { group in
        for number in 0..<24 {
          group.addTask {
            var positions: [UInt64] = []
            for round in 0..<10 {
              let clock = number % 8 == 7 ? Instant(milliseconds: -1) : EventLogProbe.noon
              let written = try? await probe.log.record(
                [NewEvent(payload: [UInt8(number), UInt8(round)])], wallClock: clock,
                expecting: nil)
              positions += written.flatMap(probe.recorded)?.events.map(\.position.rawValue) ?? []
            }
            return positions
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      try expect(positions.sorted(), is: Array(1...210), "positions")
      try expect(
        try probe.events().map(\.sequence.rawValue), is: Array(1...210), "sequences in order")
    },
  ]

  static let deciding: [Check] = [
    Check("A decision in the transaction sees what was committed") { probe in
      try await probe.record("a")
      let recorded = try await probe.log.record(wallClock: EventLogProbe.noon) {
        [log = probe.log] in
        [NewEvent(payload: Array("after \(try log.lastPosition().rawValue)".utf8))]
      }
      try expect(recorded?.events.map(\.position.rawValue) ?? [], is: [2], "the position")
      try expect(try probe.texts(), is: ["a", "after 1"], "the payloads")
    },
    Check("Each of several concurrent decisions sees the events of those before it") { probe in
      let payload = Array("once".utf8)
      let recorded = try await withThrowingTaskGroup(of: Recorded?.self) { group in
        for _ in 0..<20 {
          group.addTask {
            try await probe.log.record(wallClock: EventLogProbe.noon) {
              try probe.events().contains { $0.payload == payload }
                ? [] : [NewEvent(payload: payload)]
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try expect(recorded.compactMap(\.self).count, is: 1, "calls that wrote")
      try expect(try probe.texts(), is: ["once"], "the payloads")
    },
    Check("An empty decision writes nothing") { probe in
      let recorded = try await probe.log.record(wallClock: EventLogProbe.noon) { [] }
      try expect(recorded == nil, "no recorded events")
      try expect(try probe.log.lastPosition(), is: .start, "the last position")
    },
    Check("A note is made before the commit, and if it fails nothing is written") { probe in
      let log = probe.log
      let decide = { @Sendable in [NewEvent(payload: Array("noted".utf8))] }
      do {
        _ = try await log.record(
          wallClock: EventLogProbe.noon, deciding: decide,
          noting: { _ in throw ConformanceFailure(description: "no") })
        try expect(false, "a thrown error")
      } catch let failure as ConformanceFailure {
        try expect(failure.description, is: "no", "the error")
      }
      try expect(try log.lastPosition(), is: .start, "the last position")
      let recorded = try await log.record(
        wallClock: EventLogProbe.noon, deciding: decide,
        noting: { noted in
          let held = try noted.events.compactMap { try log.position(of: $0.id) }
          try expect(held, is: [], "the events that are held before the commit")
        })
      try expect(recorded?.events.map(\.position.rawValue) ?? [], is: [1], "the position")
    },
    Check("An error thrown by a decision reaches its caller") { probe in
      let wanted = ConformanceFailure(description: "no")
      do {
        _ = try await probe.log.record(wallClock: EventLogProbe.noon) { throw wanted }
        try expect(false, "a thrown error")
      } catch let failure as ConformanceFailure {
        try expect(failure.description, is: "no", "the error")
      }
      try await probe.record("a")
    },
  ]
}
