internal import CarillonModel

extension EventLogConformance {
  private static let stranger = EventID(words: (1 << 40, 2, 3, 4))

  private static func position(_ number: UInt64) -> Position { Position(rawValue: number) }

  /// The run with some of its payloads taken away on account of an event.
  static func bare(
    _ run: EventRun, _ erasure: EventID, where isBare: (Int) -> Bool
  ) -> EventRun {
    let items = run.items.enumerated().map { index, item in
      isBare(index)
        ? EventRun.Item(
          timestamp: item.timestamp, bare: BareContent(digest: item.digest, erasure: erasure))
        : item
    }
    return EventRun(
      replica: run.replica, firstSequence: run.firstSequence, previous: run.previous,
      items: items, lastID: run.lastID)
  }

  static let erasing: [Check] = [
    Check("An erased payload is gone; its event keeps ID, place and digest") { probe in
      let recorded = try await probe.record("a", "secret", "b")
      let before = try probe.events()
      let erasure = recorded.events[2].id
      let erased = [
        ErasedPayload(position: position(2), erasure: erasure),
        ErasedPayload(position: position(2), erasure: stranger),
      ]
      try expect(try await probe.log.erase(erased), is: 1, "payloads taken")
      try expect(try await probe.log.erase(erased), is: 0, "nothing left to take")
      let after = try probe.events()
      try expect(after.map(\.id), is: before.map(\.id), "the IDs")
      try expect(after.map(\.sequence), is: before.map(\.sequence), "the places")
      try expect(try probe.texts(), is: ["a", "", "b"], "the payloads")
      let content = BareContent(digest: PayloadDigest(before[1].payload), erasure: erasure)
      try expect(after.map(\.bare), is: [nil, content, nil], "what is left")
      try expect(try probe.log.damagedEvents(), is: [], "nothing is damaged")
      try await probe.record("c")
      try expect(try probe.texts(), is: ["a", "", "b", "c"], "the log goes on")
    },
    Check("Bare events are appended, and lead the branch on") { probe in
      var history = probe.history()
      let whole = history.run(count: 4)
      let run = bare(whole, stranger) { $0 < 2 }
      _ = try await probe.append(run)
      try expect(try probe.texts(), is: ["", "", "event 3", "event 4"], "the payloads")
      try expect(
        try probe.events().map { $0.bare?.erasure }, is: [stranger, stranger, nil, nil], "why")
      _ = try await probe.append(history.run(count: 1))
      try expect(try probe.log.branches().count, is: 1, "branches")
      try expect(try probe.log.branches().first?.headID, is: history.last, "the head")
    },
    Check("What was erased on account of an event not held takes its payload back") { probe in
      var history = probe.history()
      let run = history.run(count: 4)
      _ = try await probe.append(bare(run, stranger) { $0 > 0 })
      try expect(try await probe.append(run.slice(1..<3)), is: .duplicate(healed: 2), "healed")
      try expect(try await probe.append(run.slice(1..<3)), is: .duplicate(healed: 0), "once")
      try expect(try probe.texts(), is: ["event 1", "event 2", "event 3", ""], "the payloads")
    },
    Check("What was erased on account of an event that is held never comes back") { probe in
      var history = probe.history()
      let run = history.run(count: 4)
      _ = try await probe.append(run)
      let erasure = try await probe.record("the erasure").events[0].id
      let erased = (1...4).map { ErasedPayload(position: position($0), erasure: erasure) }
      try expect(try await probe.log.erase(erased), is: 4, "payloads taken")
      try expect(try await probe.append(run), is: .duplicate(healed: 0), "a duplicate")
      try expect(try probe.texts(), is: ["", "", "", "", "the erasure"], "the payloads")
    },
    Check("A bare duplicate takes nothing away") { probe in
      var history = probe.history()
      let run = history.run(count: 2)
      _ = try await probe.append(run)
      try expect(
        try await probe.append(bare(run, stranger) { _ in true }), is: .duplicate(healed: 0),
        "a duplicate")
      try expect(try probe.texts(), is: ["event 1", "event 2"], "the payloads")
    },
    Check("A bare event of a wrong digest is refused") { probe in
      var history = probe.history()
      let run = history.run(count: 2)
      let wrong = EventRun.Item(
        timestamp: run.items[1].timestamp,
        bare: BareContent(digest: PayloadDigest([9]), erasure: stranger))
      let bad = EventRun(
        replica: run.replica, firstSequence: run.firstSequence, previous: run.previous,
        items: [run.items[0], wrong], lastID: run.lastID)
      try await expect(throwing: .corruptRun, "a wrong digest") { _ = try await probe.append(bad) }
      try expect(try probe.log.lastPosition(), is: .start, "nothing written")
    },
  ]
}
