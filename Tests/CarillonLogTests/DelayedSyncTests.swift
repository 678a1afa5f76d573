import CarillonLog
import CarillonThreads
import Synchronization
import Testing

/// When the commits of a relaxed log are synced.
struct DelayedSyncTests {
  private let queue = SerialQueue()
  private let syncs = Count()

  @Test("Commits within the limit share one sync, which starts without another call")
  func shared() async throws {
    let delayed = make(within: .milliseconds(20))
    for _ in 0..<100 { queue.sync { delayed.noteCommit() } }
    while syncs.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
    queue.sync { delayed.sync() }
    #expect(syncs.value == 1)
    queue.sync { delayed.noteCommit() }
    while syncs.value == 1 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(syncs.value == 2)
  }

  @Test("An early sync makes the scheduled one unnecessary, and nothing is synced twice")
  func early() async throws {
    let delayed = make(within: .milliseconds(5))
    queue.sync { delayed.sync() }
    #expect(syncs.value == 0)
    queue.sync {
      delayed.noteCommit()
      delayed.sync()
      delayed.sync()
    }
    #expect(syncs.value == 1)
    try await Task.sleep(for: .milliseconds(30))
    queue.sync {}
    #expect(syncs.value == 1)
  }

  @Test("After a failed sync every write fails, and no later sync pretends that all is durable")
  func failure() throws {
    let delayed = DelayedSync(within: .seconds(3_600), on: queue) { [syncs] in
      syncs.add()
      throw CancellationError()
    }
    try delayed.requireSuccess()
    queue.sync {
      delayed.noteCommit()
      delayed.sync()
      delayed.noteCommit()
      delayed.sync()
    }
    #expect(syncs.value == 1)
    #expect(throws: CancellationError.self) { try delayed.requireSuccess() }
  }

  private func make(within limit: Duration) -> DelayedSync {
    DelayedSync(within: limit, on: queue) { [syncs] in syncs.add() }
  }
}

private final class Count: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add() { count.add(1, ordering: .relaxed) }
}
