import Carillon
import Foundation
import Synchronization

/// Many stores in one process, as in a service.
enum ManyStores {
  /// `stores DIRECTORY COUNT`: opens stores with 10 habits each, and lets all of them mark a habit
  /// as done and plan at the same time.
  static func run(_ arguments: Arguments) async throws -> Measurement {
    let (directory, count) = (try arguments.directory(0), try arguments.number(1))
    let habits = try Fixtures.habits(10)
    let before = try Use()
    var stores: [Store] = []
    for number in 0..<count {
      let store = try await Store.create(
        at: directory.appending(path: "\(number)"), replica: "phone", options: Fixtures.options)
      let events = try Fixtures.events(Fixtures.creation(of: habits))
      _ = try await store.log.record(events, wallClock: Fixtures.now, expecting: nil)
      _ = try await store.plan()
      stores.append(store)
    }
    let open = try Use()
    let threads = ThreadWatch()
    var measurement = try await Measurement.timing(count) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for store in stores {
          group.addTask {
            _ = try await store.markDone(habits[0].id, on: .today)
            _ = try await store.plan()
          }
        }
        try await group.waitForAll()
      }
    }
    measurement.details["threads"] = threads.end()
    for store in stores { await store.close() }
    let after = try Use()
    measurement.details["descriptors"] =
      Double(open.descriptors - after.descriptors) / Double(count)
    measurement.details["megabytes"] = Double(open.bytes - before.bytes) / 1e6 / Double(count)
    measurement.details["left"] = after.descriptors - before.descriptors
    return measurement
  }
}

/// The descriptors and the address space of this process.
private struct Use {
  let descriptors: Int
  let bytes: Int

  init() throws {
    descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    let sizes = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    bytes = 4_096 * (Int(sizes.prefix { $0 != " " }) ?? 0)
  }
}

/// Counts, a thousand times a second, the threads of this process, without its own.
private final class ThreadWatch: Sendable {
  private let most = Mutex(0)
  private let isOver = Atomic(false)

  init() {
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        let tasks = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        most.withLock { $0 = max($0, (tasks?.count ?? 1) - 1) }
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
  }

  func end() -> Int {
    isOver.store(true, ordering: .relaxed)
    return most.withLock { $0 }
  }
}
