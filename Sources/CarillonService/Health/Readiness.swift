#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// The checks that tell whether a store can be used.
struct Readiness {
  /// The result of one check.
  struct Check {
    let name: String
    /// What is wrong, and the limit; nil if nothing is.
    let problem: String?
  }

  /// The number of events by which the projections may be behind.
  private static let maxLag: UInt64 = 100
  /// The number of bytes that must be free on the disk.
  private static let minFree: UInt64 = 67_108_864

  private let store: Store

  init(_ store: Store) {
    self.store = store
  }

  /// Returns the results of all checks.
  func checks() async -> [Check] {
    [
      await check("projections") { try await lag() },
      await check("writer") {
        try await store.checkWriter()
        return nil
      },
      await check("disk") { try space() },
      await check("clock") { try await clock() },
    ]
  }

  private func check(_ name: String, _ body: () async throws -> String?) async -> Check {
    do {
      return Check(name: name, problem: try await body())
    } catch {
      return Check(name: name, problem: StoreError(translating: error).message)
    }
  }

  private func lag() async throws -> String? {
    let last = try store.lastPosition().rawValue
    let applied = try await store.status().checkpoint.rawValue
    guard last > applied, last - applied > Self.maxLag else { return nil }
    return "the projections are \(last - applied) events behind the log; \(Self.maxLag) are allowed"
  }

  private func space() throws -> String? {
    let attributes = try FileManager.default.attributesOfFileSystem(
      forPath: store.directory.path)
    guard let free = attributes[.systemFreeSize] as? UInt64 else {
      return "the free space of the disk is not known"
    }
    return free >= Self.minFree
      ? nil : "\(free) bytes are free on the disk; \(Self.minFree) are required"
  }

  private func clock() async throws -> String? {
    let skew = try await store.status().clockSkew.values.max() ?? 0
    return skew == 0
      ? nil
      : "an event is \(skew / 1000) seconds ahead of the clock of this device; 60 are allowed"
  }
}
#endif
