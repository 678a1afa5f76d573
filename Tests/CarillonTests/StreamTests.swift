import Carillon
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Synchronization
import Testing

@Suite("Streams")
struct StreamTests {
  @Test("A slow consumer of events makes the log be read at most one batch of 500 ahead")
  func slowConsumer() async throws {
    try await withCountingLog { store, counts in
      try await store.append(Array(repeating: .appActive(AppActive(date: day)), count: 1_999))
      for events in [store.history(), store.events()] {
        counts.reset()
        var iterator = events.makeAsyncIterator()
        for number in 1...1_500 {
          let logged = try await iterator.next()
          #expect(logged?.position.rawValue == UInt64(number))
          #expect(counts.visited.load(ordering: .relaxed) == (number + 499) / 500 * 500)
        }
      }
    }
  }

  @Test("Long events are read ahead up to 256 KiB")
  func longEvents() async throws {
    try await withCountingLog { store, counts in
      let habit = try await store.add(Habit("Walk")).id
      let text = String(repeating: "x", count: 2_000)
      let note = Payload.noteRecorded(NoteRecorded(habit: habit, date: day, text: text))
      try await store.append(Array(repeating: note, count: 400))
      counts.reset()
      var iterator = store.events(after: try store.lastPosition().minus(400)).makeAsyncIterator()
      #expect(try await iterator.next()?.payload == note)
      // Each payload has 2,000 bytes and at most 50 more.
      #expect((128...132).contains(counts.visited.load(ordering: .relaxed)))
    }
  }

  @Test("History ends at the position that was the last when it began")
  func history() async throws {
    try await withStore { store, _ in
      try await store.add(Habit("Read"))
      let end = try store.lastPosition()
      var positions: [LogPosition] = []
      for try await logged in store.history() {
        if positions.isEmpty { try await store.add(Habit("Write")) }
        positions.append(logged.position)
      }
      #expect(positions.map(\.rawValue) == Array(1...end.rawValue))
      #expect(try await store.history(after: end).reduce(0) { count, _ in count + 1 } == 1)
      var late = store.history().makeAsyncIterator()
      await store.close()
      await #expect(throws: StoreError.self) { try await late.next() }
    }
  }

  @Test("Events yields the history and then new events of any handle, without gap or repeat")
  func follow() async throws {
    try await withStore { store, clock in
      let other = try await Store.open(at: store.directory, options: .test(clock))
      try await store.add(Habit("Read"))
      async let here: Void = write(20, to: store)
      async let there: Void = write(20, to: other)
      var positions: [UInt64] = []
      for try await logged in store.events() {
        positions.append(logged.position.rawValue)
        if positions.count == 43 { break }
      }
      #expect(positions == Array(1...43))
      _ = try await (here, there)
      await other.close()
    }
  }

  @Test("Events ends when its task is cancelled, or when the store is closed")
  func ends() async throws {
    try await withStore { store, _ in
      try await store.add(Habit("Read"))
      for closes in [false, true] {
        let (seen, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
          var count = 0
          for try await _ in store.events() {
            count += 1
            if count == 3 { continuation.finish() }
          }
          return count
        }
        for await _ in seen {}
        if closes { await store.close() } else { task.cancel() }
        #expect(try await task.value == 3)
      }
    }
  }

  @Test("All streams of a store share one task that watches the log, only while one is read")
  func oneWatcher() async throws {
    try await withCountingLog { store, counts in
      let end = try store.lastPosition().plus(3)
      do {
        let changes = store.changes()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<4 {
            group.addTask {
              for try await logged in store.events() where logged.position == end { return }
            }
            group.addTask {
              for try await count in store.observe({ try $0.habits().count }) where count == 3 {
                return
              }
            }
            group.addTask {
              for await _ in store.changes() where try store.lastPosition() >= end { return }
            }
          }
          group.addTask { try await write(3, to: store) }
          try await group.waitForAll()
        }
        #expect(counts.watchers.load(ordering: .relaxed) == 1)
        withExtendedLifetime(changes) {}
      }
      for number in 2...3 {
        for await _ in store.changes() where counts.watchers.load(ordering: .relaxed) == number {
          break
        }
      }
    }
  }

  @Test("Observing yields the value now, then each different value after a change of any handle")
  func observe() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done))).id
      let other = try await Store.open(at: store.directory, options: .test(clock))
      var queues = store.observe { try $0.plan().requests.count }.makeAsyncIterator()
      var titles = store.observe { try $0.habits().map(\.title) }.makeAsyncIterator()
      #expect(try await queues.next() == 8)
      #expect(try await titles.next() == ["Walk"])
      try await other.markDone(habit)
      #expect(try await queues.next() == 7)
      try await other.edit(habit) { $0.title = "Run" }
      // The entry did not change the titles.
      #expect(try await titles.next() == ["Run"])
      await other.close()
      await store.close()
      #expect(try await titles.next() == nil)
    }
  }

  @Test("An error of an observed query ends the iteration, and a new one may follow")
  func observedError() async throws {
    try await withStore { store, _ in
      let habit = try await store.add(Habit("Walk")).id
      let unknown = HabitID.random()
      let wanted = Mutex(unknown)
      let days = store.observe { reader in
        try reader.adherence(of: wanted.withLock(\.self)).today
      }
      var iterator = days.makeAsyncIterator()
      await #expect {
        try await iterator.next()
      } throws: {
        ($0 as? StoreError)?.code == .notFound
      }
      #expect(try await iterator.next() == nil)
      wanted.withLock { $0 = habit }
      iterator = days.makeAsyncIterator()
      #expect(try await iterator.next() != nil)
    }
  }

  @Test("Queries see one snapshot, and the same values as the store's own")
  func query() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"]))).id
      try await store.markDone(habit)
      let (habits, entries, plan, today) = try await store.query { reader in
        (
          try reader.habits(), try reader.entries(of: habit), try reader.plan().requests,
          reader.today
        )
      }
      #expect(try await habits == store.habits())
      #expect(try await entries == store.entries(of: habit) && entries.count == 1)
      #expect(try await plan == store.plan().requests)
      #expect(try await today == store.today())
    }
  }

  private let day: CivilDate = "2026-11-23"
}

private func write(_ count: Int, to store: Store) async throws {
  for _ in 0..<count { try await store.append([.habitCreated(HabitFields(creating: Habit("x")))]) }
}

/// Runs a body with a store in memory, on a log that counts.
private func withCountingLog(_ body: (Store, CountingLog.Counts) async throws -> Void) async throws
{
  let log = CountingLog(log: InMemoryEventLog(storeID: .random(), replica: .random()))
  let store = try await Store.open(
    on: log, replica: "phone", options: .test(ManualClock("2026-11-23T08:00:00Z")))
  do {
    try await body(store, log.counts)
  } catch {
    await store.close()
    throw error
  }
  await store.close()
}

/// A log that counts the events read from it and the tasks that watch it.
private struct CountingLog: ForwardingLog {
  final class Counts: Sendable {
    let visited = Atomic(0)
    let watchers = Atomic(0)

    func reset() { visited.store(0, ordering: .relaxed) }
  }

  let log: any EventLog
  let counts = Counts()

  func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    try log.scan(after: position) { raw in
      counts.visited.add(1, ordering: .relaxed)
      return try body(raw)
    }
  }

  func appends() -> AsyncStream<LogPosition> {
    counts.watchers.add(1, ordering: .relaxed)
    return log.appends()
  }
}

extension LogPosition {
  fileprivate func plus(_ count: UInt64) -> LogPosition { LogPosition(rawValue: rawValue + count) }
  fileprivate func minus(_ count: UInt64) -> LogPosition { LogPosition(rawValue: rawValue - count) }
}
