import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation

/// A sealed store on a phone and a watch, and a replica without keys that passes events on.
struct SealedStores {
  let phone: Store
  let watch: Store
  let hub: Store
  let phrase: String
  let clock: ManualClock

  /// Syncs each device with the hub.
  func sync() async throws {
    for store in [phone, watch, phone] { try await store.sync(with: hub) }
  }

  private func close() async {
    for store in [phone, watch, hub] { await store.close() }
  }

  /// Runs a body with the stores, at 09:00 of a Monday in Berlin.
  static func with(_ body: (SealedStores) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      let (phone, words) = try await Store.createSealed(
        at: directory.appending(path: "phone"), replica: "phone", options: .test(clock))
      var keyless = StoreOptions.test(clock)
      keyless.mayLackKeys = true
      let hub = try await Store.clone(
        phone, at: directory.appending(path: "hub"), replica: "hub", role: .server,
        options: keyless
      ).store
      let watch = try await Store.clone(
        phone, at: directory.appending(path: "watch"), replica: "watch", role: .watch,
        options: .test(clock)
      ).store
      let stores = SealedStores(
        phone: phone, watch: watch, hub: hub, phrase: words.joined(separator: " "), clock: clock)
      do {
        try await body(stores)
      } catch {
        await stores.close()
        throw error
      }
      await stores.close()
    }
  }
}

extension Store {
  /// The payloads of all events as the log keeps them.
  func keptPayloads() throws -> [[UInt8]] {
    var payloads: [[UInt8]] = []
    try keptLog.scan(after: .start) { event in
      payloads.append([UInt8](event.payload))
      return true
    }
    return payloads
  }
}
