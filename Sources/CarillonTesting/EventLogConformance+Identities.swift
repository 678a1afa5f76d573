internal import CarillonModel

extension EventLogConformance {
  /// Returns the history that this log would continue, for a clone that writes under the same ID.
  private static func ownHistory(_ probe: EventLogProbe) throws -> EventHistory {
    var history = EventHistory(probe.replica, milliseconds: EventLogProbe.noon.milliseconds + 1)
    history.resume(after: try probe.events().filter { $0.replica == probe.replica })
    return history
  }

  static let identities: [Check] = [
    Check("Own events that are not held cause a new identity, announced before them") { probe in
      try await probe.record("a", "b")
      probe.log.setIdentityAnnouncement { identity in
        [NewEvent(payload: Array("was \(identity.predecessor?.description ?? "none")".utf8))]
      }
      var clone = try ownHistory(probe)
      let run = clone.run(count: 2, text: "clone")
      let outcome = try await probe.append(run)
      try expect(
        outcome, is: .appended(LogPosition(rawValue: 4)...LogPosition(rawValue: 5), held: 0),
        "outcome"
      )
      let identity = try probe.log.identity()
      try expect(identity.replica != probe.replica, "a new replica ID")
      try expect(identity.predecessor, is: probe.replica, "the predecessor")
      try expect(identity.isAnnounced, "the new identity is announced")
      try expect(
        try probe.texts(), is: ["a", "b", "was \(probe.replica)", "clone 3", "clone 4"], "order")
      let next = try await probe.record("c")
      try expect(next.replica, is: identity.replica, "the replica of the next event")
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
      try expect(try probe.log.identity().replica, is: probe.replica, "the replica ID")
    },
    Check("Own events after a gap change nothing") { probe in
      try await probe.record("a")
      var clone = try ownHistory(probe)
      _ = clone.run(count: 1)
      let outcome = try await probe.append(clone.run(count: 1))
      try expect(outcome, is: .gap(expected: SequenceNumber(rawValue: 2)), "a gap")
      try expect(try probe.log.identity().replica, is: probe.replica, "the replica ID")
    },
    Check("Without an announcement, a new identity is announced by its first event") { probe in
      try await probe.record("a")
      var clone = try ownHistory(probe)
      _ = try await probe.append(clone.run(count: 1, text: "clone"))
      try expect(try probe.log.identity().isAnnounced, is: false, "announced")
      probe.log.setIdentityAnnouncement { _ in [NewEvent(payload: Array("stated".utf8))] }
      let recorded = try await probe.record("b")
      try expect(recorded.events.map(\.sequence.rawValue), is: [2], "the sequence")
      try expect(try probe.texts(), is: ["a", "clone 2", "stated", "b"], "order")
      try expect(try probe.log.identity().isAnnounced, "the new identity is announced")
    },
    Check("An announcement that throws leaves the log unchanged") { probe in
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
      try expect(try probe.log.identity().replica, is: probe.replica, "the replica ID")
      try expect(try probe.texts(), is: ["a"], "the events")
      try await probe.record("b")
    },
  ]
}
