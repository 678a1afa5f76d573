import Carillon
import CarillonModel
import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
  private let milliseconds: Mutex<Int64>

  init(_ text: String) {
    guard let date = try? Date(text, strategy: .iso8601) else {
      preconditionFailure("not ISO 8601: \(text)")
    }
    milliseconds = Mutex(Int64(date.timeIntervalSince1970 * 1000))
  }

  var now: Instant { Instant(milliseconds: milliseconds.withLock { $0 }) }

  func advance(seconds: Int64) {
    milliseconds.withLock { $0 += seconds * 1000 }
  }

  func set(_ text: String) {
    let other = TestClock(text).now.milliseconds
    milliseconds.withLock { $0 = other }
  }
}

extension StoreOptions {
  /// Options of a test: its clock, and a zone by name.
  static func test(_ clock: TestClock, zone: String = "Europe/Berlin") -> StoreOptions {
    guard let zone = TimeZone(identifier: zone) else { preconditionFailure("no zone \(zone)") }
    return StoreOptions(clock: { clock.now }, zone: { zone })
  }
}

/// Runs a body with a directory of its own, and removes the directory.
func withTemporaryDirectory<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
  let directory = FileManager.default.temporaryDirectory.appending(
    path: "carillon-test-\(StoreID.random())", directoryHint: .isDirectory)
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer {
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      preconditionFailure("a test left \(directory.path) behind: \(error)")
    }
  }
  return try await body(directory)
}

/// Runs a body with a new store on a clock that stands at 09:00 of a Monday in Berlin.
func withStore(_ body: (Store, TestClock) async throws -> Void) async throws {
  try await withTemporaryDirectory { directory in
    let clock = TestClock("2026-11-23T08:00:00Z")
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
