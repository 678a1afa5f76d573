import Carillon
import CarillonModel
import Foundation

/// The rows that need a whole store.
enum StoreVerbs {
  /// `generate STORE EVENTS`: makes a store of 1,000 habits and their events, projected.
  static func generate(_ arguments: Arguments) async throws -> Measurement {
    let (directory, count) = (try arguments.directory(0), try arguments.number(1))
    let store = try await Store.create(
      at: directory, replica: "phone", role: .phone, options: Fixtures.options)
    try await fill(store, count)
    _ = try await store.plan()
    await store.close()
    return Measurement(count: count)
  }

  /// `rebuild STORE`: builds all projections anew.
  static func rebuild(_ arguments: Arguments) async throws -> Measurement {
    let store = try await open(arguments)
    let count = Int(try store.log.lastPosition().rawValue)
    let measurement = try await Measurement.timing(count) { _ = try await store.rebuild() }
    await store.close()
    return measurement
  }

  /// `one-event STORE`: records one event and brings the projections up to it.
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

  /// `sync-equal SCRATCH EVENTS`: two replicas with the same events.
  static func syncEqual(_ arguments: Arguments) async throws -> Measurement {
    let (phone, watch) = try await pair(arguments)
    let measurement = try await sync(phone, watch)
    await phone.close()
    await watch.close()
    return measurement
  }

  /// `sync-news SCRATCH EVENTS NEWS`: each of two replicas records so many habits as done, some
  /// minutes apart.
  static func syncNews(_ arguments: Arguments) async throws -> Measurement {
    let (phone, watch) = try await pair(arguments)
    let news = try arguments.number(2)
    for (offset, store) in [(0, phone), (20, watch)] {
      try await record(news, from: offset, in: store)
    }
    let measurement = try await sync(phone, watch)
    await phone.close()
    await watch.close()
    return measurement
  }

  /// `sync-table SCRATCH EVENTS NEWS...`: two replicas with so many events; then, for each further
  /// number, so many new ones, half of them on each side, and a sync as over any link; an audit at
  /// the end.
  static func syncTable(_ arguments: Arguments) async throws -> Measurement {
    let (phone, watch) = try await pair(arguments)
    func sync(_ options: SyncOptions) async throws -> [String: Int] {
      let report = try await LocalSync.synchronize(
        phone.log, watch.log, wallClock: Fixtures.now, options: options)
      return [
        "bytes": report.bytesSent + report.bytesReceived, "messages": report.messages,
        "roundTrips": report.roundTrips,
      ]
    }
    var details: [String: Any] = [:]
    var written = 0
    for place in 2..<arguments.count {
      let news = try arguments.number(place)
      try await record(news / 2, from: 0, after: written, in: phone)
      try await record(news - news / 2, from: 20, after: written, in: watch)
      written += news
      details["\(news)"] = try await sync(SyncOptions())
    }
    details["audit"] = try await sync(SyncOptions(audits: true))
    await phone.close()
    await watch.close()
    return Measurement(count: arguments.count - 2, details: details)
  }

  /// `cold-sync STORE DIRECTORY`: gives all events of a store to an empty replica.
  static func coldSync(_ arguments: Arguments) async throws -> Measurement {
    let store = try await open(arguments)
    let empty = try await Store.create(
      at: arguments.directory(1), replica: "watch", role: .watch, storeID: store.id,
      options: Fixtures.options)
    let count = Int(try store.log.lastPosition().rawValue)
    let measurement = try await Measurement.timing(count) {
      try await empty.sync(with: store)
    }
    await empty.close()
    await store.close()
    return measurement
  }

  // MARK: - Parts

  private static func open(_ arguments: Arguments) async throws -> Store {
    try await Store.open(at: arguments.directory(0), options: Fixtures.options)
  }

  private static func fill(_ store: Store, _ count: Int) async throws {
    let habits = try Fixtures.habits(1_000)
    var start = Instant(milliseconds: Fixtures.now.milliseconds - Int64(count) * 1_000)
    let creation = try Fixtures.events(Fixtures.creation(of: habits))
    _ = try await store.log.record(creation, wallClock: start, expecting: nil)
    let rest = max(0, count - creation.count)
    for first in stride(from: 0, to: rest, by: 1_000) {
      start = Instant(milliseconds: start.milliseconds + 1_000_000)
      let mixed = Fixtures.mixed(first..<min(first + 1_000, rest), habits: habits)
      _ = try await store.log.record(
        Fixtures.events(mixed), wallClock: start, expecting: nil)
    }
  }

  /// A phone with so many events, and a watch that has synced with it.
  private static func pair(_ arguments: Arguments) async throws -> (Store, Store) {
    let scratch = try arguments.directory(0)
    let phone = try await Store.create(
      at: scratch.appending(path: "phone"), replica: "phone", role: .phone,
      options: Fixtures.options)
    try await fill(phone, try arguments.number(1))
    let watch = try await Store.clone(
      phone, at: scratch.appending(path: "watch"), replica: "watch", role: .watch,
      options: Fixtures.options
    ).store
    return (phone, watch)
  }

  /// Records so many habits as done, some minutes apart.
  ///
  /// - Parameter before: How many were recorded earlier.
  private static func record(
    _ count: Int, from offset: Int, after before: Int = 0, in store: Store
  ) async throws {
    let habits = try Fixtures.habits(1_000)
    for index in before..<before + count {
      let done = EntryRecorded(
        habit: habits[offset + index % 20].id,
        date: CivilDate(rawValue: Int32(20_781 + index / 20)),
        kind: .mark, value: 1000)
      let time = Fixtures.now.milliseconds + Int64(index) * 437_000
      _ = try await store.log.record(
        Fixtures.events([.entryRecorded(done)]), wallClock: Instant(milliseconds: time),
        expecting: nil)
    }
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
