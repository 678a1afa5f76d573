import Carillon
import CarillonTestSupport
import CarillonTesting
import Foundation
import GRDB
import Synchronization
import Testing

/// Erased payloads are removed from the log in addition to what a verb does.
struct SweepTests {
  @Test("A failed sync in a store without erasures logs nothing about erased payloads")
  func failedSync() async throws {
    try await withTemporaryDirectory { directory in
      let said = Said()
      var options = StoreOptions.test(ManualClock("2026-11-23T08:00:00Z"))
      options.setLog { said.add($0) }
      let store = try await Store.create(
        at: directory.appending(path: "store"), replica: "phone", options: options)
      _ = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      // The projections, which record erasures, can no longer be read.
      for name in try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
      where name.hasSuffix(".sqlite") {
        try await DatabaseQueue(path: store.directory.appending(path: name).path).write {
          try $0.execute(sql: "DROP TABLE erasure")
        }
      }
      let (near, far) = try PipeTransport.pair()
      await far.close()
      await #expect(throws: StoreError.self) { try await store.sync(over: near) }
      await near.close()
      await store.close()
      #expect(!said.texts.contains { $0.contains("erased") }, "\(said.texts)")
    }
  }
}

/// The messages that a store logged.
private final class Said: Sendable {
  private let all = Mutex<[String]>([])

  var texts: [String] { all.withLock(\.self) }

  func add(_ text: String) {
    all.withLock { $0.append(text) }
  }
}
