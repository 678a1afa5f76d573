import CarillonLog
import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// Stores with a custom log.
struct OwnLogTests {
  private let clock = ManualClock("2026-11-23T08:00:00Z")

  private func log(_ storeID: StoreID = .random()) -> InMemoryEventLog {
    InMemoryEventLog(storeID: storeID, replica: .random())
  }

  private func open(_ log: any EventLog, in directory: URL? = nil) async throws -> Store {
    try await Store.open(
      on: log, projectionsIn: directory, replica: "phone", options: .test(clock))
  }

  @Test("A store with a custom log answers, plans and verifies like any other")
  func verbs() async throws {
    let store = try await open(log())
    let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
    let before = try await store.plan()
    #expect(before.requests.count == 8)
    try await store.markDone(walk.id)
    #expect(try await store.plan().requests.map(\.id) == before.requests.dropFirst().map(\.id))
    #expect(try await store.verify() == [])
    let status = try await store.status()
    #expect(status.name == "phone" && status.storage == nil)
    let digest = try await store.stateDigest()
    #expect(try await store.rebuild().stateDigest == digest)
    await store.close()
    let closed = await #expect(throws: StoreError.self) { try await store.status() }
    #expect(closed?.code == .closed)
  }

  @Test("The device is described once, however often the log is opened")
  func describedOnce() async throws {
    let log = log()
    let names = try await withTemporaryDirectory { directory in
      for _ in 0..<2 {
        let store = try await open(log, in: directory)
        #expect(try await store.status().name == "phone")
        #expect(try store.lastPosition() == LogPosition.start.next)
      }
      return try FileManager.default.contentsOfDirectory(atPath: directory.path)
    }
    #expect(names.contains { $0.hasSuffix(".sqlite") })
  }

  @Test("Erased payloads are removed from the log even if the projections are in memory")
  func erasing() async throws {
    let log = log()
    let store = try await open(log)
    let walk = try await store.add(Habit("Walk"))
    let report = try await store.erase(.habit(walk.id))
    #expect(report.payloadCount == 1)
    var redacted = 0
    try log.scan(after: .start) { event in
      redacted += event.redacted == nil ? 0 : 1
      return true
    }
    #expect(redacted == 1)
    await store.close()
  }

  @Test("A store with a custom log syncs with a store in files, and can be cloned into one")
  func sync() async throws {
    let store = try await open(log())
    try await store.add(Habit("Walk"))
    try await withTemporaryDirectory { directory in
      let clone = try await Store.clone(
        store, at: directory.appending(path: "clone"), replica: "watch", role: .watch,
        options: .test(clock)
      ).store
      try await clone.add(Habit("Read"))
      try await store.sync(with: clone)
      #expect(try await store.stateDigest() == clone.stateDigest())
      await clone.close()
    }
    await store.close()
  }
}
