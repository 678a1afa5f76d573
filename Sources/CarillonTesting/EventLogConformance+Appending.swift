internal import CarillonModel

extension EventLogConformance {
  private static func range(_ first: UInt64, _ last: UInt64) -> ClosedRange<LogPosition> {
    LogPosition(rawValue: first)...LogPosition(rawValue: last)
  }

  static let appending: [Check] = [
    Check("A run is appended, then extended; events that are held are duplicates") { probe in
      var history = probe.history()
      let first = history.run(count: 3)
      let second = history.run(count: 2)
      try expect(try await probe.append(first), is: .appended(range(1, 3), held: 0), "new")
      try expect(try await probe.append(second), is: .appended(range(4, 5), held: 0), "extension")
      for run in [first, second, first.slice(1..<2)] {
        try expect(try await probe.append(run), is: .duplicate(repaired: 0), "a duplicate")
      }
      let branches = try probe.log.branches()
      try expect(branches.count, is: 1, "branches")
      try expect(branches.first?.headID, is: history.last, "the head")
    },
    Check("Only the missing rest of an overlapping run is appended") { probe in
      var history = probe.history()
      let whole = history.run(count: 8)
      _ = try await probe.append(whole.slice(0..<5))
      try expect(
        try await probe.append(whole.slice(2..<8)), is: .appended(range(6, 8), held: 3), "overlap")
      try expect(try probe.log.branches().count, is: 1, "branches")
      try expect(try probe.events().map(\.id).last, is: history.last, "the head")
    },
    Check("A run after a gap is left out, and the outcome names the expected sequence") { probe in
      var history = probe.history()
      let whole = history.run(count: 8)
      try expect(
        try await probe.append(whole.slice(2..<8)), is: .gap(expected: .first), "nothing held")
      _ = try await probe.append(whole.slice(0..<3))
      try expect(
        try await probe.append(whole.slice(5..<8)),
        is: .gap(expected: SequenceNumber(rawValue: 4)), "three held")
      var other = probe.history(2)
      let outcomes = try await probe.log.append(
        [whole.slice(5..<8), other.run(count: 1), whole.slice(3..<8)],
        wallClock: EventLogProbe.noon)
      try expect(
        outcomes,
        is: [
          .gap(expected: SequenceNumber(rawValue: 4)), .appended(range(4, 4), held: 0),
          .appended(range(5, 9), held: 0),
        ], "the others are appended, and runs after them may follow them")
    },
    Check("A second history opens a branch at the last event that both share") { probe in
      var history = probe.history()
      let shared = history.run(count: 4)
      var clone = history
      let left = history.run(count: 3, text: "left")
      let right = clone.run(count: 2, text: "right")
      _ = try await probe.append(shared)
      _ = try await probe.append(left)
      try expect(
        try await probe.append(right), is: .appended(range(8, 9), held: 0), "the fork")
      let branches = try probe.log.branches()
      try expect(branches.map(\.headID), is: [history.last, clone.last], "both heads")
      try expect(
        branches.map(\.parent),
        is: [nil, Branch.Parent(branch: BranchIndex(rawValue: 0), sequence: shared.lastSequence)],
        "parents")
      try expect(
        try await probe.append(clone.run(count: 1)), is: .appended(range(10, 10), held: 0),
        "the fork is extended")
      try expect(try probe.log.branches().count, is: 2, "branches")
    },
    Check("Two histories that differ in their first event are branches without parents") { probe in
      var left = probe.history()
      var right = probe.history()
      _ = try await probe.append(left.run(count: 2, text: "left"))
      _ = try await probe.append(right.run(count: 2, text: "right"))
      try expect(try probe.log.branches().map(\.parent), is: [nil, nil], "parents")
    },
    Check("A fork of a fork is found by a run that starts before both") { probe in
      var trunk = probe.history()
      let start = trunk.run(count: 3)
      var twig = trunk
      _ = try await probe.append(start)
      _ = try await probe.append(trunk.run(count: 3, text: "trunk"))
      let twigRun = twig.run(count: 3, text: "twig")
      _ = try await probe.append(twigRun)
      let items = start.items + twigRun.items.prefix(2)
      var leaf = EventHistory(start.replica)
      _ = leaf.run(items.map(\.payload))
      let whole = EventRun(
        replica: start.replica, firstSequence: .first, previous: start.previous, items: items,
        lastID: leaf.last)
      try expect(try await probe.append(whole), is: .duplicate(repaired: 0), "held across branches")
      let more = leaf.run(count: 2, text: "leaf")
      try expect(
        try await probe.append(more), is: .appended(range(10, 11), held: 0), "the third branch")
      try expect(
        try probe.log.branches().last?.parent,
        is: Branch.Parent(
          branch: BranchIndex(rawValue: 1), sequence: SequenceNumber(rawValue: 5)), "its parent")
    },
    Check("A corrupt run is refused as a whole, and so are the other runs of its call") { probe in
      var history = probe.history()
      let good = history.run(count: 2)
      for (name, bad) in corruptRuns() {
        try await expect(throwing: .corruptRun, name) {
          _ = try await probe.log.append([good, bad], wallClock: EventLogProbe.noon)
        }
        try expect(try probe.log.lastPosition(), is: .start, "the last position after \(name)")
      }
      try expect(try await probe.append(good), is: .appended(range(1, 2), held: 0), "the good one")
    },
    Check("A run with another sequence than its previous event requires is refused") { probe in
      var history = probe.history()
      let good = history.run(count: 3)
      _ = try await probe.append(good)
      let item = EventRun.Item(
        timestamp: Timestamp(rawValue: good.lastID.timestamp.rawValue + 1), payload: [1])
      let sequence = SequenceNumber(rawValue: 9)
      let bad = EventRun(
        replica: good.replica, firstSequence: sequence, previous: good.lastID, items: [item],
        lastID: EventChain.id(
          sequence: sequence, timestamp: item.timestamp, previous: good.lastID,
          payload: item.digest))
      var other = probe.history(2)
      let before = other.run(count: 2)
      try await expect(throwing: .corruptRun, "a wrong sequence") {
        _ = try await probe.log.append([before, bad], wallClock: EventLogProbe.noon)
      }
      try expect(try probe.log.lastPosition().rawValue, is: 3, "nothing written")
      try await probe.record("a")
      try expect(try probe.log.lastPosition().rawValue, is: 4, "the log accepts new events")
    },
    Check("The order of arrival does not change the heads") { probe in
      var first = probe.history(1)
      var second = probe.history(2)
      let runs = [
        first.run(count: 2), second.run(count: 1), first.run(count: 3), second.run(count: 2),
      ]
      for index in [1, 0, 3, 2] { _ = try await probe.append(runs[index]) }
      try expect(
        VersionVector(branches: try probe.log.branches()),
        is: VersionVector([
          Head(
            replica: first.replica, sequence: SequenceNumber(rawValue: 5), id: first.last),
          Head(
            replica: second.replica, sequence: SequenceNumber(rawValue: 3), id: second.last),
        ]), "the vector")
    },
  ]

  private static func corruptRuns() -> [(String, EventRun)] {
    var history = EventHistory(ReplicaID(high: 0x0E, low: 1))
    let run = history.run(count: 3)
    func changed(
      first: UInt64 = 1, previous: EventID? = nil, items: [EventRun.Item]? = nil,
      last: EventID? = nil
    ) -> EventRun {
      EventRun(
        replica: run.replica, firstSequence: SequenceNumber(rawValue: first),
        previous: previous ?? run.previous, items: items ?? run.items, lastID: last ?? run.lastID)
    }
    func item(_ timestamp: UInt64, _ payload: [UInt8]) -> EventRun.Item {
      EventRun.Item(timestamp: Timestamp(rawValue: timestamp), payload: payload)
    }
    func chained(_ items: [EventRun.Item]) -> EventRun {
      var last = run.previous
      for (index, item) in items.enumerated() {
        last = EventChain.id(
          sequence: SequenceNumber(rawValue: UInt64(index) + 1), timestamp: item.timestamp,
          previous: last, payload: item.digest)
      }
      return changed(items: items, last: last)
    }
    let large = [UInt8](repeating: 1, count: StoredEvent.maxPayloadBytes + 1)
    return [
      ("a run without events", changed(items: [])),
      ("a run from sequence 0", changed(first: 0)),
      ("a run at the end of all sequences", changed(first: .max)),
      ("a wrong last ID", changed(last: run.previous)),
      ("a wrong payload", changed(items: [item(1, [1])] + run.items.dropFirst())),
      ("a wrong root", changed(previous: run.lastID)),
      ("falling timestamps", chained([item(5, [1]), item(4, [1])])),
      ("equal timestamps", chained([item(5, [1]), item(5, [1])])),
      ("a timestamp with its top bit", chained([item(1 << 63, [1])])),
      ("an empty payload", chained([item(5, [])])),
      ("a large payload", chained([item(5, large)])),
    ]
  }
}
