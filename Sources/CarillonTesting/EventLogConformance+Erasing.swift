internal import CarillonModel
internal import Synchronization

extension EventLogConformance {
  private static let stranger = EventID(words: (1 << 40, 2, 3, 4))

  private static func position(_ number: UInt64) -> LogPosition { LogPosition(rawValue: number) }

  /// Returns the run with some of its payloads erased by an event.
  static func redacted(
    _ run: EventRun, _ erasure: EventID, where isRedacted: (Int) -> Bool
  ) -> EventRun {
    let items = run.items.enumerated().map { index, item in
      isRedacted(index)
        ? EventRun.Item(
          timestamp: item.timestamp,
          redacted: RedactedContent(digest: item.digest, erasure: erasure))
        : item
    }
    return EventRun(
      replica: run.replica, firstSequence: run.firstSequence, previous: run.previous,
      items: items, lastID: run.lastID)
  }

  static let erasing: [Check] = [
    Check("An erased payload is removed; its event keeps its ID, place and digest") { probe in
      let recorded = try await probe.record("a", "secret", "b")
      let before = try probe.events()
      let erasure = recorded.events[2].id
      let erased = [
        ErasedPayload(position: position(2), erasure: erasure),
        ErasedPayload(position: position(2), erasure: stranger),
      ]
      try expect(try await probe.log.erase(erased), is: 1, "erased payloads")
      try expect(try await probe.log.erase(erased), is: 0, "payloads erased again")
      let after = try probe.events()
      try expect(after.map(\.id), is: before.map(\.id), "the IDs")
      try expect(after.map(\.sequence), is: before.map(\.sequence), "the places")
      try expect(try probe.texts(), is: ["a", "", "b"], "the payloads")
      let content = RedactedContent(digest: PayloadDigest(before[1].payload), erasure: erasure)
      try expect(after.map(\.redacted), is: [nil, content, nil], "redacted contents")
      try expect(try probe.log.damagedEvents(), is: [], "damaged events")
      try await probe.record("c")
      try expect(try probe.texts(), is: ["a", "", "b", "c"], "the log accepts new events")
    },
    Check("Redacted events are appended, and the branch continues after them") { probe in
      var history = probe.history()
      let whole = history.run(count: 4)
      let run = redacted(whole, stranger) { $0 < 2 }
      _ = try await probe.append(run)
      try expect(try probe.texts(), is: ["", "", "event 3", "event 4"], "the payloads")
      try expect(
        try probe.events().map { $0.redacted?.erasure }, is: [stranger, stranger, nil, nil],
        "the erasing events")
      _ = try await probe.append(history.run(count: 1))
      try expect(try probe.log.branches().count, is: 1, "branches")
      try expect(try probe.log.branches().first?.headID, is: history.last, "the head")
    },
    Check("A redacted event takes its payload back only if that is permitted") { probe in
      var history = probe.history()
      let run = history.run(count: 4)
      _ = try await probe.append(redacted(run, stranger) { $0 > 0 })
      try expect(
        try await probe.append(run), is: .duplicate(repaired: 0), "the erasures are unknown")
      let covered = StatedErasures(covered: [run.slice(2..<3).lastID])
      try expect(
        try await probe.append(run.slice(1..<3), erasures: covered), is: .duplicate(repaired: 1),
        "one is not covered")
      try expect(
        try await probe.append(run.slice(1..<3), erasures: covered), is: .duplicate(repaired: 0),
        "it is restored only once")
      try expect(try probe.texts(), is: ["event 1", "event 2", "", ""], "the payloads")
      try expect(covered.positions, is: [2, 3, 3], "the positions that were asked about")
    },
    Check("A redacted event takes the erasure that is confirmed") { probe in
      var history = probe.history()
      let run = history.run(count: 2)
      let recorded = try await probe.record("an erasure", "another", "none").events
      func erased(by index: Int) -> EventRun { redacted(run, recorded[index].id) { _ in true } }
      func named() throws -> [EventID?] {
        try probe.events().suffix(2).map { $0.redacted?.erasure }
      }
      let erasures = StatedErasures(confirmed: [recorded[0].id, recorded[1].id])
      _ = try await probe.append(erased(by: 2))
      try expect(
        try await probe.append(erased(by: 0)), is: .duplicate(repaired: 0), "erasures are unknown")
      try expect(
        try await probe.append(erased(by: 0), erasures: erasures), is: .duplicate(repaired: 2),
        "the confirmed one")
      for index in [1, 2] {
        try expect(
          try await probe.append(erased(by: index), erasures: erasures),
          is: .duplicate(repaired: 0), "the named erasure is confirmed already")
      }
      try expect(try named(), is: [recorded[0].id, recorded[0].id], "the named erasures")
    },
    Check("If restoring throws, nothing is appended") { probe in
      var history = probe.history()
      let run = history.run(count: 2)
      _ = try await probe.append(redacted(run, stranger) { _ in true })
      let error = LogError(code: .io, message: "stated")
      try await expect(throwing: .io, "the error of the erasures") {
        _ = try await probe.append(run, erasures: StatedErasures(error: error))
      }
      try expect(try probe.texts(), is: ["", ""], "the payloads")
    },
    Check("A redacted duplicate erases nothing") { probe in
      var history = probe.history()
      let run = history.run(count: 2)
      _ = try await probe.append(run)
      try expect(
        try await probe.append(redacted(run, stranger) { _ in true }), is: .duplicate(repaired: 0),
        "a duplicate")
      try expect(try probe.texts(), is: ["event 1", "event 2"], "the payloads")
    },
    Check("A redacted event with a wrong digest is refused") { probe in
      var history = probe.history()
      let run = history.run(count: 2)
      let wrong = EventRun.Item(
        timestamp: run.items[1].timestamp,
        redacted: RedactedContent(digest: PayloadDigest([9]), erasure: stranger))
      let bad = EventRun(
        replica: run.replica, firstSequence: run.firstSequence, previous: run.previous,
        items: [run.items[0], wrong], lastID: run.lastID)
      try await expect(throwing: .corruptRun, "a wrong digest") { _ = try await probe.append(bad) }
      try expect(try probe.log.lastPosition(), is: .start, "the last position")
    },
  ]
}

/// Erasures that a check states.
private final class StatedErasures: HeldErasures {
  private let confirmed: Set<EventID>
  private let covered: Set<EventID>
  private let error: LogError?
  /// Guards the positions of the events that the log asked about.
  private let asked = Mutex<[UInt64]>([])

  init(confirmed: Set<EventID> = [], covered: Set<EventID> = [], error: LogError? = nil) {
    self.confirmed = confirmed
    self.covered = covered
    self.error = error
  }

  /// The positions of the events that the log asked about, in ascending order.
  var positions: [UInt64] { asked.withLock { $0.sorted() } }

  func confirm(_ redacted: RedactedContent, of event: EventID) throws -> Bool {
    if let error { throw error }
    return confirmed.contains(redacted.erasure)
  }

  func permitRestoring(
    _ payload: [UInt8], to redacted: RedactedContent, of event: EventID, at position: LogPosition
  ) throws -> Bool {
    if let error { throw error }
    asked.withLock { $0.append(position.rawValue) }
    return !covered.contains(event)
  }
}
