import Carillon
import CarillonLMDB
import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import Foundation

/// The cost of syncs in bytes.
///
/// It is exact, because the events and the IDs are the same in every run.
enum SyncTable {
  /// `sync-table SCRATCH EVENTS NEWS...`: creates two replicas that share `EVENTS` events.
  ///
  /// For each `NEWS`, they record that number of new events, half of them on each side, and sync as
  /// over any transport. Finally, it runs an audit.
  static func run(_ arguments: Arguments) async throws -> Measurement {
    let (phone, watch) = try logs(in: arguments.directory(0))
    // Each replica has recorded events of its own.
    try await Fixtures.fill(phone, arguments.number(1) - 1)
    try await Fixtures.record(1, from: 40, in: watch)
    _ = try await sync(phone, watch, .withinProcess)
    var details: [String: Any] = [:]
    var written = 0
    for place in 2..<arguments.count {
      let news = try arguments.number(place)
      try await Fixtures.record(news / 2, from: 0, after: written, in: phone)
      try await Fixtures.record(news - news / 2, from: 20, after: written, in: watch)
      written += news
      details["\(news)"] = try await sync(phone, watch, SyncOptions())
    }
    details["audit"] = try await sync(phone, watch, SyncOptions(audits: true))
    await phone.close()
    await watch.close()
    return Measurement(count: arguments.count - 2, details: details)
  }

  /// `cold-sync-bytes EVENTS [random]`: sends `EVENTS` entries of 20 habits, in turn or in random
  /// order at random times, to an empty log, as over any transport.
  static func coldSync(_ arguments: Arguments) async throws -> Measurement {
    let count = try arguments.number(0)
    var names = SeededGenerator(seed: 4)
    let store = StoreID.random(using: &names)
    let phone = InMemoryEventLog(storeID: store, replica: .random(using: &names))
    let watch = InMemoryEventLog(storeID: store, replica: .random(using: &names))
    try await Fixtures.record(count, from: 0, isRandom: arguments.count > 1, in: phone)
    let details = try await sync(phone, watch, SyncOptions())
    return Measurement(count: count, details: details)
  }

  /// `cold-facts-bytes STORE`: sends all events of a store to an empty log, as over any transport.
  static func coldFacts(_ arguments: Arguments) async throws -> Measurement {
    let phone = try LMDBEventLog.open(at: arguments.directory(0))
    var names = SeededGenerator(seed: 5)
    let watch = InMemoryEventLog(storeID: phone.storeID, replica: .random(using: &names))
    let details = try await sync(phone, watch, SyncOptions())
    let count = Int(try phone.lastPosition().rawValue)
    await phone.close()
    return Measurement(count: count, details: details)
  }

  private static func logs(in scratch: URL) throws -> (LMDBEventLog, LMDBEventLog) {
    var names = SeededGenerator(seed: 3)
    let store = StoreID.random(using: &names)
    func log(_ name: String) throws -> LMDBEventLog {
      try LMDBEventLog.create(
        at: scratch.appending(path: name), storeID: store, replica: .random(using: &names))
    }
    return (try log("phone"), try log("watch"))
  }

  private static func sync(
    _ phone: any EventLog, _ watch: any EventLog, _ options: SyncOptions
  ) async throws -> [String: Int] {
    let report = try await LocalSync.synchronize(
      phone, watch, wallClock: Fixtures.now, options: options)
    return [
      "bytes": report.bytesSent + report.bytesReceived, "messages": report.messages,
      "roundTrips": report.roundTrips,
    ]
  }
}
