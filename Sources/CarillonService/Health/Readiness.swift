#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// The checks that say whether a store can be used.
///
/// No problem has the path of a file, since an answer may leave this computer.
struct Readiness {
  /// The result of one check.
  struct Check {
    let name: String
    /// What is wrong, and the limit; nil if nothing is.
    let problem: String?
  }

  /// The number of events by which the projections may be behind.
  static let maxLag: UInt64 = 500
  /// The number of bytes that must be free on the disk.
  private static let minFree: UInt64 = 67_108_864

  /// The results of all checks.
  let checks: [Check]

  var isReady: Bool { checks.allSatisfy { $0.problem == nil } }

  /// `{ready,checks[{name,ok,problem}]}`.
  var json: JSON {
    [
      "ready": .bool(isReady),
      "checks": .array(checks) {
        ["name": .text($0.name), "ok": .bool($0.problem == nil), "problem": .text($0.problem)]
      },
    ]
  }

  /// Checks a store.
  ///
  /// The lag is that of the moment of the call. The check of the clock then applies the events, so
  /// the next call finds none.
  init(of store: Store) async {
    checks = [
      await Self.check("projections") { try await Self.lag(of: store) },
      await Self.check("writer") {
        try await store.checkWriter()
        return nil
      },
      await Self.check("disk") { try Self.space(of: store) },
      await Self.check("map") {
        try store.checkFiles()
        return nil
      },
      await Self.check("clock") { try await Self.clock(of: store) },
    ]
  }

  private static func check(_ name: String, _ body: () async throws -> String?) async -> Check {
    do {
      return Check(name: name, problem: try await body())
    } catch {
      // The message may have the path of a file.
      let error = StoreError(translating: error)
      let problem = "the check failed with the error \(error.code.rawValue)"
      guard error.reason == .replacedFiles else { return Check(name: name, problem: problem) }
      return Check(
        name: name, problem: "\(problem): the store's files were removed or replaced")
    }
  }

  private static func lag(of store: Store) async throws -> String? {
    let lag = try await store.projectionLag()
    guard lag > maxLag else { return nil }
    return "the projections are \(lag) events behind the log; \(maxLag) are allowed"
  }

  private static func space(of store: Store) throws -> String? {
    let attributes = try FileManager.default.attributesOfFileSystem(
      forPath: store.directory.path)
    guard let free = attributes[.systemFreeSize] as? UInt64 else {
      return "the free space of the disk is not known"
    }
    return shortage(of: free)
  }

  /// Says what is wrong with a number of free bytes; nil if they suffice.
  static func shortage(of free: UInt64) -> String? {
    free >= minFree ? nil : "\(free) bytes are free on the disk; \(minFree) are required"
  }

  private static func clock(of store: Store) async throws -> String? {
    let status = try await store.status()
    let ahead = status.clockSkew.max { $0.value < $1.value }
    guard let ahead, let info = status.replicas.first(where: { $0.replica == ahead.key }) else {
      return nil
    }
    return Store.clockHealth(info, ahead.value, own: status.replica)
  }
}
#endif
