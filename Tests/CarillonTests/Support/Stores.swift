import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation

extension StoreOptions {
  /// Returns the options of a test: its clock, and a zone by name.
  static func test(
    _ clock: ManualClock, zone: String = "Europe/Berlin", capacity: Int = 64
  ) -> StoreOptions {
    guard let zone = TimeZone(identifier: zone) else { preconditionFailure("no zone \(zone)") }
    return StoreOptions(clock: { clock.now }, zone: { zone }, capacity: capacity)
  }
}

/// Runs a body with its own temporary directory, and removes the directory.
func withTemporaryDirectory<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
  let directory = try TemporaryDirectory()
  defer { withExtendedLifetime(directory) {} }
  return try await body(directory.url)
}

/// Runs a body with a new store, at 09:00 of a Monday in Berlin.
func withStore(_ body: (Store, ManualClock) async throws -> Void) async throws {
  try await withTemporaryDirectory { directory in
    let clock = ManualClock("2026-11-23T08:00:00Z")
    let store = try await Store.create(
      at: directory.appending(path: "store"), replica: "phone", options: .test(clock))
    do {
      try await body(store, clock)
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }
}

/// Runs a body with a phone and a watch of one store, at 09:00 of a Monday in Berlin.
func withPhoneAndWatch(
  _ body: (Store, Store, ManualClock) async throws -> Void
) async throws {
  try await withStore { phone, clock in
    try await withTemporaryDirectory { directory in
      let watch = try await Store.clone(
        phone, at: directory.appending(path: "watch"), replica: "watch", role: .watch,
        options: .test(clock)
      ).store
      do {
        try await body(phone, watch, clock)
      } catch {
        await watch.close()
        throw error
      }
      await watch.close()
    }
  }
}
