#if Service
import Carillon
import CarillonModel
import CarillonTestSupport
import Foundation
import ServiceLifecycle
import Synchronization
import Testing

@testable import CarillonService

/// The stores of many people in one service.
@Suite struct StorePoolTests {
  /// A pool over a temporary directory, with the numbers of what was opened.
  private struct Bench {
    let directory: TemporaryDirectory
    let pool: StorePool<Int>
    let openCount: Mutex<Int>.Shared

    init(maxCount: Int = 200, idle: Duration = .seconds(60)) throws {
      let directory = try TemporaryDirectory()
      let openCount = Mutex<Int>.Shared()
      (self.directory, self.openCount) = (directory, openCount)
      pool = StorePool(maxCount: maxCount, idle: idle) { [url = directory.url] person in
        openCount.value.withLock { $0 += 1 }
        let place = url.appending(path: "\(person)")
        guard person >= 0 else { throw StoreError(code: .notFound, message: "no such person") }
        return FileManager.default.fileExists(atPath: place.path)
          ? try await Store.open(at: place)
          : try await Store.create(at: place, replica: "server", role: .server)
      }
    }
  }

  @Test("Callers that need a store at once share one opening")
  func shared() async throws {
    let bench = try Bench()
    let stores = try await withThrowingTaskGroup(of: Store.self) { group in
      for _ in 0..<20 { group.addTask { try await bench.pool.store(of: 1) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(stores.allSatisfy { $0 === stores[0] })
    #expect(bench.openCount.value.withLock { $0 } == 1)
  }

  @Test("The number of open stores is bounded; one in use stays open, the oldest other is closed")
  func bounded() async throws {
    let bench = try Bench(maxCount: 3)
    let used = try await bench.pool.store(of: 0)
    for person in 1..<12 {
      let store = try await bench.pool.store(of: person)
      try await store.add(Habit("Walk"))
      #expect(await bench.pool.count <= 3)
    }
    try await used.add(Habit("Read"))
    #expect(try await bench.pool.store(of: 0) === used)
    #expect(try await bench.pool.store(of: 4).habits().map(\.title) == ["Walk"])
  }

  @Test("A store that cannot be opened harms no other, and is tried again")
  func failing() async throws {
    let bench = try Bench()
    for _ in 0..<2 {
      await #expect(throws: StoreError.self) { try await bench.pool.store(of: -1) }
    }
    #expect(bench.openCount.value.withLock { $0 } == 2)
    #expect(try await bench.pool.store(of: 1).habits().isEmpty)
    #expect(await bench.pool.count == 1)
  }

  @Test("As a service, the pool closes idle stores, and all of them when it stops")
  func service() async throws {
    let bench = try Bench(idle: .milliseconds(20))
    let group = ServiceGroup(
      configuration: .init(services: [bench.pool], logger: .init(label: "test")))
    async let running: Void = group.run()
    let used = try await bench.pool.store(of: 1)
    _ = try await bench.pool.store(of: 2)
    while await bench.pool.count > 1 { try await Task.sleep(for: .milliseconds(5)) }
    try await used.add(Habit("Walk"))
    await group.triggerGracefulShutdown()
    try await running
    await #expect(throws: StoreError.self) { try await bench.pool.store(of: 1) }
    await #expect(throws: StoreError.self) { try await used.add(Habit("Read")) }
  }

  @Test("An open store takes at most 6 descriptors, and a closed one none")
  func descriptors() async throws {
    let bench = try Bench(maxCount: 50)
    func descriptorCount() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(name)")
        return target?.hasPrefix(bench.directory.url.path) ?? false
      }.count
    }
    for person in 0..<60 {
      let store = try await bench.pool.store(of: person)
      try await store.add(Habit("Walk"))
    }
    #expect(await bench.pool.count == 50)
    #expect(try descriptorCount() <= 50 * 6)
    await bench.pool.closeAll()
    #expect(try descriptorCount() == 0)
  }
}

extension Mutex<Int> {
  /// A number that several tasks count.
  fileprivate final class Shared: Sendable {
    let value = Mutex(0)
  }
}
#endif
