internal import CarillonModel

extension EventLogConformance {
  /// What this log would have written next, as a clone wrote it.
  private static func ownHistory(_ probe: EventLogProbe) throws -> EventHistory {
    var history = EventHistory(probe.replica, milliseconds: EventLogProbe.noon.milliseconds + 1)
    history.resume(after: try probe.events().filter { $0.replica == probe.replica })
    return history
  }

  static let identities: [Check] = [
    Check("Own events that are not held make a new identity, stated before them") { probe in
      try await probe.record("a", "b")
      probe.log.setIdentityAnnouncement { identity in
        [NewEvent(payload: Array("was \(identity.predecessor?.description ?? "none")".utf8))]
      }
      var clone = try ownHistory(probe)
      let run = clone.run(count: 2, text: "clone")
      let outcome = try await probe.append(run)
      try expect(
        outcome, is: .appended(Position(rawValue: 4)...Position(rawValue: 5), held: 0), "outcome")
      let identity = try probe.log.identity()
      try expect(identity.replica != probe.replica, "a new name")
      try expect(identity.predecessor, is: probe.replica, "the predecessor")
      try expect(identity.isAnnounced, "stated")
      try expect(
        try probe.texts(), is: ["a", "b", "was \(probe.replica)", "clone 3", "clone 4"], "order")
      let next = try await probe.record("c")
      try expect(next.replica, is: identity.replica, "who goes on")
      try expect(next.events.map(\.sequence.rawValue), is: [2], "its sequence")
    },
    Check("Own events that are held change nothing") { probe in
      try await probe.record("a", "b")
      let events = try probe.events()
      let run = EventRun(
        replica: probe.replica, firstSequence: .first,
        previous: EventChain.root(of: probe.replica),
        items: events.map { EventRun.Item(timestamp: $0.timestamp, payload: $0.payload) },
        lastID: try require(events.last, "events").id)
      try expect(try await probe.append(run), is: .duplicate(repaired: 0), "a duplicate")
      try expect(try probe.log.identity().replica, is: probe.replica, "the name")
    },
    Check("Own events behind a gap change nothing") { probe in
      try await probe.record("a")
      var clone = try ownHistory(probe)
      _ = clone.run(count: 1)
      let outcome = try await probe.append(clone.run(count: 1))
      try expect(outcome, is: .gap(expected: SequenceNumber(rawValue: 2)), "a gap")
      try expect(try probe.log.identity().replica, is: probe.replica, "the name")
    },
    Check("Without a announcement the new identity is stated by its first event") { probe in
      try await probe.record("a")
      var clone = try ownHistory(probe)
      _ = try await probe.append(clone.run(count: 1, text: "clone"))
      try expect(try probe.log.identity().isAnnounced, is: false, "stated")
      probe.log.setIdentityAnnouncement { _ in [NewEvent(payload: Array("stated".utf8))] }
      let recorded = try await probe.record("b")
      try expect(recorded.events.map(\.sequence.rawValue), is: [2], "the sequence")
      try expect(try probe.texts(), is: ["a", "clone 2", "stated", "b"], "order")
      try expect(try probe.log.identity().isAnnounced, "stated")
    },
    Check("A announcement that fails leaves the log as it was") { probe in
      try await probe.record("a")
      probe.log.setIdentityAnnouncement { _ in throw ConformanceFailure(description: "no") }
      var clone = try ownHistory(probe)
      let run = clone.run(count: 1)
      do {
        _ = try await probe.append(run)
        try expect(false, "a thrown error")
      } catch let failure as ConformanceFailure {
        try expect(failure.description, is: "no", "the error")
      }
      try expect(try probe.log.identity().replica, is: probe.replica, "the name")
      try expect(try probe.texts(), is: ["a"], "the events")
      try await probe.record("b")
    },
  ]
}
