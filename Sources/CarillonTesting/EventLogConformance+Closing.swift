internal import CarillonModel

extension EventLogConformance {
  static let closing: [Check] = [
    Check("A closed head leaves the vector, and an event after it opens it again") { probe in
      var history = probe.history()
      let first = history.run(count: 2)
      _ = try await probe.append(first)
      try await probe.record("own")
      try await probe.record(closing: [first.head])
      try expect(try probe.openHeads(), is: [try probe.ownHead()], "open heads")
      let closings = try probe.log.branches().flatMap(\.closings)
      try expect(closings.map(\.position.rawValue), is: [4], "the position of the closing event")
      try expect(closings.map(\.sequence.rawValue), is: [2], "its place on the branch")
      try expect(
        closings.map(\.closed),
        is: [
          [
            Branch.Place(
              branch: BranchIndex(rawValue: 0), sequence: SequenceNumber(rawValue: 2))
          ]
        ], "the closed places")
      let next = history.run(count: 1)
      _ = try await probe.append(next)
      try expect(
        try probe.openHeads(), is: [next.lastID, try probe.ownHead()].sorted(), "open again")
      try expect(try probe.log.branches().count, is: 2, "branches")
    },
    Check("An event closes the heads that it names, and no event after them") { probe in
      var history = probe.history()
      let first = history.run(count: 2)
      let next = history.run(count: 1)
      _ = try await probe.append(first)
      _ = try await probe.append(next)
      try await probe.record(closing: [first.head])
      try expect(
        try probe.openHeads(), is: [next.lastID, try probe.ownHead()].sorted(), "open heads")
    },
    Check("An event that closes an event not held is a gap until that one is held") { probe in
      var closed = probe.history(1)
      var closer = probe.history(2)
      let run = closed.run(count: 2)
      let start = closer.run(count: 1)
      let closing = closer.run([BranchesClosed(heads: [run.head]).written])
      try expect(
        try await probe.append(closing), is: .gap(expected: .first), "without the event before it")
      _ = try await probe.append(start)
      try expect(
        try await probe.append(closing), is: .gap(expected: SequenceNumber(rawValue: 2)), "a gap")
      _ = try await probe.append(run.slice(0..<1))
      try expect(
        try await probe.append(closing), is: .gap(expected: SequenceNumber(rawValue: 2)),
        "without the head itself")
      let outcomes = try await probe.log.append(
        [run, closing], wallClock: EventLogProbe.noon, erasures: nil)
      try expect(
        outcomes.count { if case .appended = $0 { true } else { false } }, is: 2, "appended runs")
      try expect(try probe.openHeads(), is: [closing.lastID], "open heads")
      try expect(try await probe.append(closing), is: .duplicate(repaired: 0), "held")
    },
    Check("An event that closes an event not held cannot be recorded") { probe in
      try await probe.record("own")
      var history = probe.history()
      let run = history.run(count: 1)
      try await expect(throwing: .corruptRun, "an event that is not held") {
        try await probe.record(closing: [run.head])
      }
      _ = try await probe.append(run)
      let wrong = Head(
        replica: run.head.replica, sequence: SequenceNumber(rawValue: 2), id: run.head.id)
      try await expect(throwing: .corruptRun, "another sequence") {
        try await probe.record(closing: [wrong])
      }
      try expect(try probe.texts(), is: ["own", "event 1"], "the payloads")
    },
    Check("A closed head makes room for another, and reopening one uses that room again") { probe in
      let most = VersionVector.maxTakenHeads
      var histories = (1...UInt64(most)).map { probe.history($0) }
      let runs = histories.indices.map { histories[$0].run(count: 1) }
      _ = try await probe.log.append(runs, wallClock: EventLogProbe.noon, erasures: nil)
      var late = probe.history(UInt64(most) + 1)
      let further = late.run(count: 1)
      try expect(try await probe.append(further), is: .headsFull, "full")
      // The log's own events are always written; their head counts in addition.
      try await probe.record(closing: runs.prefix(2).map(\.head))
      try expect(try probe.openHeads().count, is: most - 1, "heads")
      let position = LogPosition(rawValue: UInt64(most) + 2)
      try expect(
        try await probe.append(further), is: .appended(position...position, held: 0), "room")
      try expect(
        try await probe.append(histories[0].run(count: 1)), is: .headsFull, "full once more")
      try expect(try probe.openHeads().count, is: most, "heads")
    },
    Check("A missing event closes once its content and the closed event are held") { probe in
      var closed = probe.history(1)
      var closer = probe.history(2)
      let run = closed.run(count: 1)
      let whole = closer.run([
        Array("first".utf8), BranchesClosed(heads: [run.head]).written, Array("last".utf8),
      ])
      var items = whole.items
      items[1] = EventRun.Item(missing: whole.slice(1..<2).lastID)
      let alone = EventRun(
        replica: whole.replica, firstSequence: whole.firstSequence, previous: whole.previous,
        items: items, lastID: whole.lastID)
      _ = try await probe.append(alone)
      try expect(try await probe.append(whole), is: .duplicate(repaired: 0), "without the head")
      try expect(try probe.events()[1].isMissing, "the content is missing")
      _ = try await probe.append(run)
      try expect(try probe.openHeads().count, is: 2, "open heads while the content is missing")
      try expect(try await probe.append(whole), is: .duplicate(repaired: 1), "repaired")
      try expect(try probe.openHeads(), is: [whole.lastID], "open heads once it is repaired")
    },
    Check("Another encoding of the same content closes nothing") { probe in
      var history = probe.history()
      let run = history.run(count: 1)
      _ = try await probe.append(run)
      let written = BranchesClosed(heads: [run.head]).written
      for payload in [written + [0x08, 0x01], [0x08, 0x01] + written, Array(written.dropLast())] {
        let event = NewEvent(payload: payload)
        _ = try await probe.log.record([event], wallClock: EventLogProbe.noon, expecting: nil)
      }
      try expect(try probe.openHeads().count, is: 2, "heads")
    },
  ]
}

extension EventLogProbe {
  fileprivate func record(closing heads: [Head]) async throws {
    let event = NewEvent(payload: BranchesClosed(heads: heads).written)
    _ = try await log.record([event], wallClock: Self.noon, expecting: nil)
  }

  fileprivate func openHeads() throws -> [EventID] {
    VersionVector(branches: try log.branches()).heads.map(\.id)
  }

  fileprivate func ownHead() throws -> EventID {
    try require(try log.branches().first { $0.replica == replica }, "an own branch").headID
  }
}

extension EventRun {
  /// The head that an event closes: the run's last event.
  fileprivate var head: Head { Head(replica: replica, sequence: lastSequence, id: lastID) }
}
