import Carillon
import CarillonModel
import Foundation

/// The rows that need a complete store.
enum StoreVerbs {
  /// `generate STORE EVENTS`: creates a store with 1,000 habits and their events, and projects
  /// them.
  static func generate(_ arguments: Arguments) async throws -> Measurement {
    let (directory, count) = (try arguments.directory(0), try arguments.number(1))
    let store = try await Store.create(
      at: directory, replica: "phone", role: .phone, options: Fixtures.options)
    try await Fixtures.fill(store.log, count)
    _ = try await store.plan()
    await store.close()
    return Measurement(count: count)
  }

  /// `rebuild STORE`: rebuilds all projections.
  static func rebuild(_ arguments: Arguments) async throws -> Measurement {
    let store = try await open(arguments)
    let count = Int(try store.log.lastPosition().rawValue)
    let measurement = try await Measurement.timing(count) { _ = try await store.rebuild() }
    await store.close()
    return measurement
  }

  /// `verify-full STORE`: checks the whole store.
  static func verifyFully(_ arguments: Arguments) async throws -> Measurement {
    let store = try await open(arguments)
    let count = Int(try store.log.lastPosition().rawValue)
    let measurement = try await Measurement.timing(count) {
      let found = try await store.verifyFully()
      guard found.damages.isEmpty else { throw UsageError(index: 0, kind: "an intact store") }
    }
    await store.close()
    return measurement
  }

  /// `hash STORE`: computes the ID of every event on one thread, and nothing else.
  static func hash(_ arguments: Arguments) async throws -> Measurement {
    let store = try await open(arguments)
    let count = Int(try store.log.lastPosition().rawValue)
    let measurement = try await Measurement.timing(count) {
      var previous: EventID?
      try store.log.scan(after: .start) { event in
        previous = EventChain.id(
          sequence: event.sequence, timestamp: event.id.timestamp, previous: previous ?? event.id,
          payload: event.digest)
        return previous != nil
      }
    }
    await store.close()
    return measurement
  }

  /// `relaxed STORE EVENTS MILLISECONDS FILE`: records events one at a time, with a durability
  /// relaxed by that time, and adds the time and the ID of each to a file when its write returned.
  static func relaxed(_ arguments: Arguments) async throws -> Measurement {
    var options = Fixtures.options
    options.durability = .relaxed(within: .milliseconds(try arguments.number(2)))
    let store = try await Store.open(at: arguments.directory(0), options: options)
    let count = try arguments.number(1)
    let path = try arguments.text(3)
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
    defer { try? file.close() }
    let measurement = try await Measurement.timing(count) {
      for index in 0..<count {
        let entry = EntryRecorded(
          habit: HabitID(high: 1, low: 1), date: CivilDate(rawValue: Int32(20_000 + index)),
          kind: .mark, value: 1000)
        let outcome = try await store.log.record(
          Fixtures.events([.entryRecorded(entry)]), wallClock: Fixtures.now, expecting: nil)
        guard case .recorded(let recorded) = outcome else { continue }
        let milliseconds = Int(Date().timeIntervalSince1970 * 1_000)
        for event in recorded.events {
          try file.write(contentsOf: Data("\(milliseconds) \(event.id)\n".utf8))
        }
        if index % 20 == 19 { try await Task.sleep(for: .milliseconds(10)) }
      }
    }
    await store.close()
    return measurement
  }

  /// `one-event STORE`: records one event and updates the projections.
  static func oneEvent(_ arguments: Arguments) async throws -> Measurement {
    let store = try await open(arguments)
    let done = EntryRecorded(
      habit: try Fixtures.habits(1)[0].id, date: CivilDate(rawValue: 20_780), kind: .mark,
      value: 1000)
    _ = try await store.log.record(
      Fixtures.events([.entryRecorded(done)]), wallClock: Fixtures.now, expecting: nil)
    _ = try await store.status()
    await store.close()
    return Measurement(count: 1)
  }

  /// `sync-equal SCRATCH EVENTS`: syncs two replicas with the same events.
  static func syncEqual(_ arguments: Arguments) async throws -> Measurement {
    let (phone, watch) = try await pair(arguments)
    let measurement = try await sync(phone, watch)
    await phone.close()
    await watch.close()
    return measurement
  }

  /// `sync-news SCRATCH EVENTS NEWS HABITS`: syncs two replicas after each recorded `NEWS` entries
  /// of its own `HABITS` habits, some minutes apart.
  static func syncNews(_ arguments: Arguments) async throws -> Measurement {
    let (phone, watch) = try await pair(arguments)
    let (news, habits) = (try arguments.number(2), try arguments.number(3))
    for (offset, store) in [(0, phone), (habits, watch)] {
      try await Fixtures.record(news, from: offset, habits: habits, in: store.log)
    }
    let measurement = try await sync(phone, watch)
    await phone.close()
    await watch.close()
    return measurement
  }

  /// `cold-sync STORE DIRECTORY`: sends all events of a store to an empty replica.
  static func coldSync(_ arguments: Arguments) async throws -> Measurement {
    let store = try await open(arguments)
    let empty = try await Store.create(
      at: arguments.directory(1), replica: "watch", role: .watch, storeID: store.id,
      options: Fixtures.options)
    let count = Int(try store.log.lastPosition().rawValue)
    var byteCount = 0
    var measurement = try await Measurement.timing(count) {
      let report = try await empty.sync(with: store)
      byteCount = report.bytesSent + report.bytesReceived
    }
    measurement.details["bytes"] = byteCount
    await empty.close()
    await store.close()
    return measurement
  }

  // MARK: - Parts

  private static func open(_ arguments: Arguments) async throws -> Store {
    try await Store.open(at: arguments.directory(0), options: Fixtures.options)
  }

  /// Creates a phone with a number of events, and a watch that has synced with it.
  private static func pair(_ arguments: Arguments) async throws -> (Store, Store) {
    let scratch = try arguments.directory(0)
    let phone = try await Store.create(
      at: scratch.appending(path: "phone"), replica: "phone", role: .phone,
      options: Fixtures.options)
    try await Fixtures.fill(phone.log, try arguments.number(1))
    let watch = try await Store.clone(
      phone, at: scratch.appending(path: "watch"), replica: "watch", role: .watch,
      options: Fixtures.options
    ).store
    return (phone, watch)
  }

  private static func sync(_ phone: Store, _ watch: Store) async throws -> Measurement {
    let report = try await phone.sync(with: watch)
    return Measurement(
      count: 1,
      details: [
        "bytes": report.bytesSent + report.bytesReceived, "roundTrips": report.roundTrips,
        "messages": report.messages,
      ])
  }
}
