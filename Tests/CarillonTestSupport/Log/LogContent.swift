package import CarillonModel
import CarillonTesting

extension EventLog {
  /// Records one small event.
  @discardableResult
  package func record(_ text: String) async throws -> Recorded {
    let outcome = try await record(
      [NewEvent(payload: Array(text.utf8))], wallClock: .logTests, expecting: nil)
    guard case .recorded(let recorded) = outcome else { throw UnexpectedOutcome() }
    return recorded
  }

  /// Records and appends events on three branches, one of them a fork, and closes the log.
  ///
  /// Their payloads are small and large.
  ///
  /// - Returns: The position of the last event.
  package func fillAndClose(rounds: Int) async throws -> LogPosition {
    var trunk = EventHistory(ReplicaID(high: 9, low: 9))
    _ = try await append([trunk.run(count: 5)], wallClock: .logTests)
    var twig = trunk
    for round in 0..<rounds {
      let events = (0..<10).map { NewEvent(payload: .ofLogTest(round * 10 + $0)) }
      _ = try await record(events, wallClock: .logTests, expecting: nil)
      let runs = [trunk.run(count: 3, text: "trunk"), twig.run(count: 2, text: "twig")]
      _ = try await append(runs, wallClock: .logTests)
    }
    let last = try lastPosition()
    await close()
    return last
  }
}

extension EventReader {
  /// Returns all events, by position.
  package func events() throws -> [StoredEvent] {
    var events: [StoredEvent] = []
    try scan(after: .start) { event in
      events.append(event.event)
      return true
    }
    return events
  }

  /// Returns the payloads as text, by position.
  package func texts() throws -> [String] {
    try events().map { String(decoding: $0.payload, as: UTF8.self) }
  }
}

extension Instant {
  /// The time of the events in the tests of logs.
  package static let logTests = Instant(milliseconds: 1_790_000_000_000)
}

extension [UInt8] {
  /// Returns a payload of 20 to 220 bytes.
  ///
  /// Every fiftieth has 5,000 bytes, which LMDB and SQLite store on overflow pages.
  package static func ofLogTest(_ number: Int) -> [UInt8] {
    let count = number % 50 == 49 ? 5_000 : 20 + number * 37 % 200
    return (0..<count).map { UInt8(truncatingIfNeeded: number &+ $0) }
  }
}

/// An outcome with which a test cannot continue.
package struct UnexpectedOutcome: Error {
  package init() {}
}
