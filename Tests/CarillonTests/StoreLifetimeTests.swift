import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import CarillonThreads
import Foundation
import Synchronization
import Testing

/// The resources that a store uses in its process, and releases.
struct StoreLifetimeTests {
  @Test("300 stores opened and closed leave no descriptor, map or thread behind")
  func openAndClose() async {
    // In a process of its own, so that other tests do not affect its descriptors and threads.
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { directory in
        let place = try await Self.make(in: directory)
        for _ in 0..<10 { try await Store.open(at: place).close() }
        // The first sleep makes the timer's descriptors.
        try await Task.sleep(for: .milliseconds(1))
        let before = try Holdings(of: directory)
        for _ in 0..<300 { try await Store.open(at: place).close() }
        // On a busy machine another thread may still hold the last store.
        var after = try Holdings(of: directory)
        for _ in 0..<1_000 where after.mappedFileCount > 0 {
          try await Task.sleep(for: .milliseconds(10))
          after = try Holdings(of: directory)
        }
        #expect(after.descriptors == before.descriptors, "\(after)")
        #expect(after.openFiles == [], "\(after)")
        #expect(after.mappedFileCount == 0, "\(after)")
        // The runtime's own pools may still grow, by 72 MB of maps a thread. What each of 300
        // stores left behind would be far more.
        #expect(after.mapByteCount < before.mapByteCount + 16 * 72 << 20, "\(before) \(after)")
        #expect(after.threadCount <= before.threadCount + 16, "\(before) \(after)")
      }
    }
  }

  @Test("An open store uses 6 descriptors, at most 128 MB of address space, and no thread")
  func openStores() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { directory in
        var stores: [Store] = []
        for number in 0..<24 {
          let place = directory.appending(path: "\(number)", directoryHint: .isDirectory)
          let store = try await Store.create(at: place, replica: "phone")
          _ = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
          _ = try await store.plan()
          stores.append(store)
        }
        try await Task.sleep(for: .milliseconds(100))
        let before = try Holdings(of: directory)
        for store in stores.suffix(20) { await store.close() }
        let after = try Holdings(of: directory)
        #expect(before.openFiles.count - after.openFiles.count == 6 * 20, "\(before)")
        #expect(before.mapByteCount - after.mapByteCount <= 20 * 128_000_000, "\(before) \(after)")
        #expect(before.threadCount < 20, "\(before)")
        #expect(try await Self.threadCountAtRest() == 0)
        for store in stores { await store.close() }
      }
    }
  }

  @Test("100 stores that all write and plan at once use at most 32 threads")
  func busyStores() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { directory in
        var stores: [(store: Store, habit: HabitID)] = []
        for number in 0..<100 {
          let place = directory.appending(path: "\(number)", directoryHint: .isDirectory)
          let store = try await Store.create(at: place, replica: "phone")
          let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
          stores.append((store, walk.id))
        }
        let most = try await Holdings.greatestThreadCount {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for (store, habit) in stores {
              group.addTask {
                _ = try await store.markDone(habit, on: .today)
                _ = try await store.plan()
                _ = try await store.habits()
              }
            }
            try await group.waitForAll()
          }
        }
        // The runtime has a thread for each core besides.
        #expect(most <= 30 + ProcessInfo.processInfo.activeProcessorCount, "\(most)")
        #expect(try await Self.threadCountAtRest() == 0)
        for (store, _) in stores { await store.close() }
      }
    }
  }

  /// Returns the number of the pool's threads that do not end within 10 seconds.
  ///
  /// A thread ends when its last closure has returned, which is after the store's answer.
  private static func threadCountAtRest() async throws -> Int {
    for _ in 0..<2_000 where ThreadPool.shared.threadCount > 0 {
      try await Task.sleep(for: .milliseconds(5))
    }
    return ThreadPool.shared.threadCount
  }

  @Test("A released store closes itself")
  func letGo() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { directory in
        let place = try await Self.make(in: directory)
        for _ in 0..<20 {
          let store = try await Store.open(at: place)
          _ = try await store.markDone(#require(store.habits().first).id, on: .today)
        }
        // It closes in the background, when the writer is done.
        while try !Holdings(of: directory).openFiles.isEmpty {
          try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try Holdings(of: directory).mappedFileCount == 0)
      }
    }
  }

  @Test("A store opened for one closure is closed afterwards, also when the closure throws")
  func with() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Walk")).id
      await store.close()
      let options = StoreOptions.test(clock)
      var used: [Store] = []
      let habits = try await Store.with(at: store.directory, options: options) {
        used.append($0)
        return try await $0.habits()
      }
      #expect(habits.map(\.id) == [habit])
      await #expect(throws: CancellationError.self) {
        try await Store.with(at: store.directory, options: options) {
          used.append($0)
          throw CancellationError()
        }
      }
      #expect(used.count == 2)
      for store in used { #expect(throws: StoreError.self) { try store.lastPosition() } }
    }
  }

  @Test("Closing twice has no effect and logs nothing, and later calls fail with the code closed")
  func closedTwice() async throws {
    try await withTemporaryDirectory { directory in
      let messages = LogMessages()
      var options = StoreOptions.test(ManualClock("2026-11-23T08:00:00Z"))
      options.logger = messages.logger
      let store = try await Store.create(
        at: directory.appending(path: "store"), replica: "phone", options: options)
      _ = try await store.erase(.habit(store.add(Habit("Walk")).id))
      _ = try await store.add(Habit("Run"))
      async let first: Void = store.close()
      async let second: Void = store.close()
      _ = await (first, second)
      await store.close()
      #expect(messages.all.isEmpty, "\(messages.all)")
      #expect(throws: StoreError.self) { try store.lastPosition() }
    }
  }

  @Test("If a log exceeds the address space, the error gives the size needed and what to do")
  func addressSpace() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { directory in
        let place = try await Self.make(in: directory)
        #if canImport(Darwin)
        let resource = RLIMIT_AS
        #else
        let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
        #endif
        var limit = rlimit(rlim_cur: 1 << 39, rlim_max: 1 << 39)
        try #require(setrlimit(resource, &limit) == 0)
        // A sparse file; the map has twice its length.
        let file = DamagedFile.dataFile(in: place).path
        let byteCount = try Data(contentsOf: URL(filePath: file)).count
        try #require(truncate(file, 1 << 39) == 0)
        let error = await #expect(throws: StoreError.self) {
          try await Store.open(at: place).close()
        }
        try #require(truncate(file, off_t(byteCount)) == 0)
        #expect(error?.code == .io && error?.reason == .addressSpace)
        #expect(error?.message.contains("\(1 << 40) bytes") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("\(1 << 39) bytes") == true, "\(error?.message ?? "")")
        try await Store.open(at: place).close()
      }
    }
  }

  /// Creates a closed store with a habit.
  private static func make(in directory: URL) async throws -> URL {
    let place = directory.appending(path: "store", directoryHint: .isDirectory)
    let store = try await Store.create(at: place, replica: "phone")
    _ = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
    await store.close()
    return place
  }
}

/// The resources of this process, as counted by the system.
private struct Holdings: CustomStringConvertible {
  /// The targets of its descriptors.
  let descriptors: [String]
  /// The open files below a directory.
  let openFiles: [String]
  /// The number of memory ranges that map files below it.
  let mappedFileCount: Int
  let mapByteCount: Int
  let threadCount: Int

  init(of directory: URL) throws {
    let files = FileManager.default
    // A descriptor that is closed during the listing, such as the listing's own, is ignored.
    descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
      try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
    }.sorted()
    openFiles = descriptors.filter { $0.hasPrefix(directory.path) }
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
    mappedFileCount = maps.count { $0.contains(directory.path) }
    mapByteCount = maps.reduce(0) { sum, line in
      let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
      return ends.count == 2 ? sum + ends[1] - ends[0] : sum
    }
    threadCount = try files.contentsOfDirectory(atPath: "/proc/self/task").count
  }

  /// Calls `body`, and returns the greatest number of threads that a sample of the system shows.
  static func greatestThreadCount(during body: () async throws -> Void) async throws -> Int {
    let most = Mutex(0)
    let isOver = Atomic(false)
    let watch = Thread {
      while !isOver.load(ordering: .relaxed) {
        let tasks = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        most.withLock { $0 = max($0, tasks?.count ?? 0) }
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
    watch.start()
    defer { isOver.store(true, ordering: .relaxed) }
    try await body()
    return most.withLock { $0 }
  }

  var description: String {
    "\(descriptors.count) descriptors \(descriptors), \(mappedFileCount) files mapped, "
      + "\(mapByteCount >> 20) MiB of maps, \(threadCount) threads"
  }
}
