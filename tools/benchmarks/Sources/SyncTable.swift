import Carillon
import CarillonLMDB
import CarillonModel
import CarillonSync
import CarillonTesting
import Foundation

/// What syncs cost in bytes: exact, since the events and the names are the same at every run.
enum SyncTable {
  /// `sync-table SCRATCH EVENTS NEWS...`: two replicas with so many events; then, for each further
  /// number, so many new ones, half of them on each side, and a sync as over any link; an audit at
  /// the end.
  static func run(_ arguments: Arguments) async throws -> Measurement {
    let (phone, watch) = try logs(in: arguments.directory(0))
    // Each has a history of its own.
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
    _ phone: LMDBEventLog, _ watch: LMDBEventLog, _ options: SyncOptions
  ) async throws -> [String: Int] {
    let report = try await LocalSync.synchronize(
      phone, watch, wallClock: Fixtures.now, options: options)
    return [
      "bytes": report.bytesSent + report.bytesReceived, "messages": report.messages,
      "roundTrips": report.roundTrips,
    ]
  }
}
