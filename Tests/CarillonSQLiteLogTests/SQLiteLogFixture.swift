import CarillonLog
import CarillonModel
import CarillonSQLiteLog
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The store directory of one test, with the operations that most tests need.
struct SQLiteLogFixture {
  let directory: TemporaryDirectory
  let url: URL
  let store = StoreID(high: 1, low: 2)
  let replica = ReplicaID(high: 3, low: 4)

  static let noon = Instant(milliseconds: 1_790_000_000_000)

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.appending("store")
  }

  var file: URL { url.appendingPathComponent("log.sqlite") }

  func create(_ options: LogOptions = LogOptions()) throws -> SQLiteEventLog {
    try SQLiteEventLog.create(at: url, storeID: store, replica: replica, options: options)
  }

  func open(_ options: LogOptions = LogOptions()) throws -> SQLiteEventLog {
    try SQLiteEventLog.open(at: url, options: options)
  }

  /// Creates a log with three branches, one of them a fork, with small and large payloads, and
  /// closes it.
  @discardableResult
  func fill(rounds: Int = 20) async throws -> LogPosition {
    let log = try create()
    var trunk = EventHistory(ReplicaID(high: 9, low: 9))
    _ = try await log.append([trunk.run(count: 5)], wallClock: Self.noon)
    var twig = trunk
    for round in 0..<rounds {
      let events = (0..<10).map { NewEvent(payload: payload(round * 10 + $0)) }
      _ = try await log.record(events, wallClock: Self.noon, expecting: nil)
      let runs = [trunk.run(count: 3, text: "trunk"), twig.run(count: 2, text: "twig")]
      _ = try await log.append(runs, wallClock: Self.noon)
    }
    let last = try log.lastPosition()
    await log.close()
    return last
  }

  /// Returns a payload of 20 to 220 bytes; every fiftieth has 5,000 bytes, which SQLite stores on
  /// overflow pages.
  func payload(_ number: Int) -> [UInt8] {
    let count = number % 50 == 49 ? 5_000 : 20 + number * 37 % 200
    return (0..<count).map { UInt8(truncatingIfNeeded: number &+ $0) }
  }
}

extension EventLog {
  /// Records one small event.
  @discardableResult
  func record(_ text: String) async throws -> Recorded {
    let outcome = try await record(
      [NewEvent(payload: Array(text.utf8))], wallClock: SQLiteLogFixture.noon, expecting: nil)
    guard case .recorded(let recorded) = outcome else { throw UnexpectedOutcome() }
    return recorded
  }

  /// All events, by position.
  func events() throws -> [StoredEvent] {
    var events: [StoredEvent] = []
    try scan(after: .start) { event in
      events.append(event.event)
      return true
    }
    return events
  }
}

/// An outcome with which a test cannot continue.
struct UnexpectedOutcome: Error {}
