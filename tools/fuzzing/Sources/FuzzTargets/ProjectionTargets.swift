@testable import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Logging

extension FuzzTarget {
  static let projections = FuzzTarget(
    name: "projections", maxByteCount: 262_144, seeds: Projections.seeds, run: Projections.use)
}

/// The file of a store's projections: rows, and the kept plan.
private enum Projections {
  /// Queries return or fail with an error of stores, and a rebuild restores everything.
  static func use(_ bytes: UnsafeRawBufferPointer) throws {
    let (content, known) = (Data(bytes), try known.get())
    let place = try TemporaryDirectory()
    for (name, file) in known.files {
      try (name == known.projection ? content : file).write(to: place.url.appending(path: name))
    }
    try waiting {
      let store = try await Store.open(at: place.url, options: options)
      do {
        _ = try await store.habits()
        _ = try await store.plan()
        _ = try await store.receipts()
        _ = try await store.status()
        _ = try await store.verifyFully()
      } catch is StoreError {
      }
      hold(
        try await store.rebuild().stateDigest == known.digest, "a rebuild restores everything")
      await store.close()
    }
    withExtendedLifetime(place) {}
  }

  private static let options: StoreOptions = {
    let clock = ManualClock("2026-11-23T08:00:00Z")
    var options = StoreOptions()
    options.clock = { clock.now }
    options.zone = { .gmt }
    options.logger.logLevel = .critical
    return options
  }()

  /// A small store.
  private struct Known {
    /// Its files by name.
    let files: [String: Data]
    /// The name of its projections.
    let projection: String
    let digest: StateDigest
  }

  private static let known = Result {
    try waiting {
      let place = try TemporaryDirectory()
      let store = try await Store.create(
        at: place.url, replica: "phone", storage: .sqlite, options: options)
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      try await store.add(Habit("Swim", .weekly(on: [.monday], at: ["07:30"])))
      try await store.markDone(walk.id)
      _ = try await store.plan()
      let digest = try await store.stateDigest()
      await store.close()
      var files: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: place.url.path) {
        files[name] = try Data(contentsOf: place.url.appending(path: name))
      }
      let projection = files.keys.first {
        $0.hasPrefix("projection-") && $0.hasSuffix(".sqlite")
      }
      return withExtendedLifetime(place) {
        Known(files: files, projection: projection ?? "", digest: digest)
      }
    }
  }

  // MARK: - Seeds

  static func seeds() throws -> [[UInt8]] {
    let known = try known.get()
    return [Array(known.files[known.projection] ?? Data()), []]
  }
}
