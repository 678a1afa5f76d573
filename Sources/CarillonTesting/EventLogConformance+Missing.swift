internal import CarillonModel

extension EventLogConformance {
  /// Returns the run with some of its events reduced to their IDs.
  private static func alone(_ run: EventRun, _ places: Range<Int>) -> EventRun {
    var items = run.items
    for place in places {
      items[place] = EventRun.Item(missing: run.slice(0..<place + 1).lastID)
    }
    return EventRun(
      replica: run.replica, firstSequence: run.firstSequence, previous: run.previous,
      items: items, lastID: run.lastID)
  }

  static let missing: [Check] = [
    Check("An event without content keeps its place, and takes its content from a later run") {
      probe in
      var history = probe.history()
      let run = history.run(count: 4)
      try expect(
        try await probe.append(alone(run, 1..<3)),
        is: .appended(LogPosition(rawValue: 1)...LogPosition(rawValue: 4), held: 0), "appended")
      try expect(try probe.events().map(\.isMissing), is: [false, true, true, false], "missing")
      try expect(try probe.log.branches().first?.headID, is: run.lastID, "the head")
      try expect(
        try probe.log.damagedEvents().map(\.position.rawValue), is: [2, 3], "damaged positions")
      try expect(
        try await probe.append(alone(run, 1..<3)), is: .duplicate(repaired: 0), "a duplicate")
      try expect(
        try await probe.append(run.slice(2..<3)), is: .duplicate(repaired: 1), "one is repaired")
      try expect(try await probe.append(run), is: .duplicate(repaired: 1), "the other")
      try expect(
        try probe.texts(), is: ["event 1", "event 2", "event 3", "event 4"], "the payloads")
      try expect(try probe.log.damagedEvents(), is: [], "damaged events")
      _ = try await probe.append(history.run(count: 1))
      try expect(try probe.log.branches().count, is: 1, "branches")
    },
    Check("An item without content removes nothing from an intact event") { probe in
      var history = probe.history()
      let run = history.run(count: 3)
      _ = try await probe.append(run)
      try expect(
        try await probe.append(alone(run, 0..<2)), is: .duplicate(repaired: 0), "a duplicate")
      try expect(try probe.texts(), is: ["event 1", "event 2", "event 3"], "the payloads")
    },
    Check("An event without content is not erased, but can be repaired as redacted") { probe in
      var history = probe.history()
      let run = history.run(count: 3)
      _ = try await probe.append(alone(run, 1..<2))
      let erasure = try await probe.record("the erasure").events[0].id
      let erased = [ErasedPayload(position: LogPosition(rawValue: 2), erasure: erasure)]
      try expect(try await probe.log.erase(erased), is: 0, "erased payloads")
      let redacted = redacted(run, erasure) { $0 == 1 }
      try expect(try await probe.append(redacted), is: .duplicate(repaired: 1), "repaired")
      try expect(try probe.events()[1].redacted?.erasure, is: erasure, "the named erasure")
    },
    Check("A run may not end with an item without content, nor contain one with a wrong ID") {
      probe in
      var history = probe.history()
      let run = history.run(count: 3)
      try await expect(throwing: .corruptRun, "at the end") {
        _ = try await probe.append(alone(run, 2..<3))
      }
      var items = run.items
      // The same timestamp, but another ID.
      let words = run.slice(0..<2).lastID.words
      items[1] = EventRun.Item(missing: EventID(words: (words.0, words.1, words.2, ~words.3)))
      let wrong = EventRun(
        replica: run.replica, firstSequence: run.firstSequence, previous: run.previous,
        items: items, lastID: run.lastID)
      try await expect(throwing: .corruptRun, "another ID") { _ = try await probe.append(wrong) }
      try expect(try probe.log.lastPosition(), is: .start, "the last position")
    },
  ]
}
