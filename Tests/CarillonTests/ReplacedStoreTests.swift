import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// A store whose directory is moved away, or replaced by another one, while it is open.
@Suite struct ReplacedStoreTests {
  @Test(
    "Nothing is read, synced or written after a copy took the store's place, with one error",
    arguments: Store.Storage.allCases)
  func replaced(_ storage: Store.Storage) async throws {
    try await withTemporaryDirectory { directory in
      let (place, copy) = (directory.appending(path: "phone"), directory.appending(path: "copy"))
      let clock = ManualClock("2026-11-23T08:00:00Z")
      let options = StoreOptions.test(clock)
      let store = try await Store.create(
        at: place, replica: "phone", storage: storage, options: options)
      let watch = try await Store.clone(
        store, at: directory.appending(path: "watch"), replica: "watch", options: options
      ).store
      try await store.add(Habit("Walk"))
      try FileManager.default.copyItem(at: place, to: copy)
      let uses: [(String, () async throws -> Void)] = [
        ("write", { try await store.add(Habit("Read")) }),
        ("habits", { _ = try await store.habits() }),
        ("plan", { _ = try await store.plan() }),
        ("status", { _ = try await store.status() }),
        ("position", { _ = try store.lastPosition() }),
        ("history", { for try await _ in store.history() {} }),
        ("sync", { try await store.sync(with: watch) }),
        ("answer", { try await watch.sync(with: store) }),
        ("audit", { try await watch.sync(with: store, audits: true) }),
      ]
      let away = directory.appending(path: "away")
      try FileManager.default.moveItem(at: place, to: away)
      for isReplaced in [false, true] {
        if isReplaced { try FileManager.default.moveItem(at: copy, to: place) }
        for (name, use) in uses {
          let error = await #expect(throws: StoreError.self, "\(name)") { try await use() }
          #expect(error?.code == .io && error?.reason == .replacedFiles, "\(name)")
          #expect(error?.hint?.contains("start it again") == true, "\(name)")
        }
      }
      try FileManager.default.moveItem(at: place, to: copy)
      try FileManager.default.moveItem(at: away, to: place)
      for (_, use) in uses { try await use() }
      await store.close()
      await watch.close()
    }
  }
}
