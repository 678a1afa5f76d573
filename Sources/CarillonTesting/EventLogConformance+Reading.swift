internal import CarillonModel

extension EventLogConformance {
  /// Appends two branches of one replica and one own event, eleven events in all.
  private static func fill(_ probe: EventLogProbe) async throws -> (EventHistory, EventHistory) {
    var trunk = probe.history()
    _ = try await probe.append(trunk.run(count: 4, text: "trunk"))
    var twig = trunk
    try await probe.record("own")
    _ = try await probe.append(trunk.run(count: 2, text: "trunk"))
    _ = try await probe.append(twig.run(count: 3, text: "twig"))
    _ = try await probe.append(trunk.run(count: 1, text: "trunk"))
    return (trunk, twig)
  }

  static let reading: [Check] = [
    Check("A scan visits the events after a position until the visitor returns false") { probe in
      _ = try await fill(probe)
      let all = try probe.events()
      try expect(all.count, is: 11, "events")
      for start in 0...12 {
        var positions: [UInt64] = []
        try probe.log.scan(after: LogPosition(rawValue: UInt64(start))) { event in
          positions.append(event.position.rawValue)
          return positions.count < 3
        }
        try expect(
          positions, is: Array((1...11).dropFirst(start).prefix(3)).map(UInt64.init),
          "positions after \(start)")
      }
      try probe.log.scan(after: LogPosition(rawValue: .max)) { _ in
        throw ConformanceFailure(description: "expected: no event after the greatest position")
      }
    },
    Check("A branch is scanned through its parents, from any sequence") { probe in
      let (_, twig) = try await fill(probe)
      let branch = try require(
        try probe.log.branches().first { $0.headID == twig.last }, "the twig"
      ).index
      let wanted = (1...4).map { "trunk \($0)" } + (5...7).map { "twig \($0)" }
      for start in 0...8 {
        var texts: [String] = []
        try probe.log.scan(branch: branch, from: SequenceNumber(rawValue: UInt64(start))) {
          texts.append(String(decoding: $0.payload, as: UTF8.self))
          return true
        }
        let rest = Array(wanted.dropFirst(max(start, 1) - 1))
        try expect(texts, is: rest, "the branch from \(start)")
      }
      try probe.log.scan(branch: BranchIndex(rawValue: .max), from: .first) { _ in
        throw ConformanceFailure(description: "expected: no event of a branch that does not exist")
      }
    },
    Check("Every event is found by its ID and by its place") { probe in
      _ = try await fill(probe)
      try probe.log.scan(after: .start) { event in
        try expect(try probe.log.position(of: event.id), is: event.position, "by ID")
        try expect(
          try probe.log.position(on: event.branch, at: event.sequence), is: event.position,
          "by place")
        return true
      }
      let (trunk, twig) = (BranchIndex(rawValue: 0), BranchIndex(rawValue: 2))
      for sequence in (1...4).map(SequenceNumber.init(rawValue:)) {
        try expect(
          try probe.log.position(on: twig, at: sequence),
          is: try probe.log.position(on: trunk, at: sequence), "a place before the fork")
      }
    },
    Check("An event that is not held is not found") { probe in
      let (trunk, _) = try await fill(probe)
      let words = trunk.last.words
      for id in [
        EventID(words: (words.0, words.1, words.2, words.3 ^ 1)), EventID(words: (0, 0, 0, 0)),
        EventID(words: (.max, 0, 0, 0)), EventID(words: (words.0 - 1, 0, 0, 0)),
      ] {
        try expect(try probe.log.position(of: id), is: nil, "an ID that is not held")
      }
      for (branch, sequence) in [(0, 0), (0, 8), (0, .max), (3, 1), (.max, 1)] as [(UInt32, UInt64)]
      {
        try expect(
          try probe.log.position(
            on: BranchIndex(rawValue: branch), at: SequenceNumber(rawValue: sequence)), is: nil,
          "place \(sequence) of branch \(branch)")
      }
    },
    Check("A scan may read the log, and ends where the log ended when the scan started") { probe in
      try await probe.record("a", "b")
      var count = 0
      try probe.log.scan(after: .start) { event in
        count += 1
        return try probe.log.position(of: event.id) == event.position
      }
      try expect(count, is: 2, "events")
    },
    Check("An error of a visitor ends the scan and reaches the caller") { probe in
      try await probe.record("a", "b")
      do {
        try probe.log.scan(after: .start) { _ in throw ConformanceFailure(description: "no") }
        try expect(false, "a thrown error")
      } catch let failure as ConformanceFailure {
        try expect(failure.description, is: "no", "the error")
      }
    },
  ]

  static let life: [Check] = [
    Check("The projection generation changes only from its current value") { probe in
      try expect(try probe.log.projectionGeneration(), is: 0, "the first")
      try expect(try await probe.log.moveProjectionGeneration(from: 0, to: 4), "a move")
      try expect(
        try await probe.log.moveProjectionGeneration(from: 0, to: 5), is: false, "a late change")
      try expect(try probe.log.projectionGeneration(), is: 4, "the generation")
      try expect(try probe.log.lastPosition(), is: .start, "the last position")
    },
    Check("Appends are reported until the log is closed, to a slow listener only the newest") {
      probe in
      let appends = probe.log.appends()
      for text in ["a", "b", "c"] { try await probe.record(text) }
      var iterator = appends.makeAsyncIterator()
      try expect(await iterator.next()?.rawValue, is: 3, "the newest")
      await probe.log.close()
      try expect(await iterator.next(), is: nil, "the end")
      var late = probe.log.appends().makeAsyncIterator()
      try expect(await late.next(), is: nil, "the end of a stream made after closing")
    },
    Check("After closing, every call throws `closed`") { probe in
      try await probe.record("a")
      await probe.log.close()
      await probe.log.close()
      let log = probe.log
      let calls: [(String, () async throws -> Void)] = [
        ("identity", { _ = try log.identity() }), ("branches", { _ = try log.branches() }),
        ("lastPosition", { _ = try log.lastPosition() }),
        ("scan", { try log.scan(after: .start) { _ in true } }),
        ("record", { try await probe.record("b") }),
        ("decide", { _ = try await log.record(wallClock: EventLogProbe.noon) { [] } }),
        ("append", { _ = try await log.append([], wallClock: EventLogProbe.noon) }),
        ("move", { _ = try await log.moveProjectionGeneration(from: 0, to: 1) }),
      ]
      for (name, call) in calls {
        try await expect(throwing: .closed, name, call)
      }
    },
  ]
}
