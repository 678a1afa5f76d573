import CarillonThreads
import Dispatch
import Foundation
import Synchronization
import Testing

struct SerialQueueTests {
  @Test("Closures run one after the other, in the order in which they were added")
  func order() {
    let queue = SerialQueue(on: ThreadPool(size: 4))
    let seen = Mutex<[Int]>([])
    for number in 0..<1_000 { queue.async { seen.withLock { $0.append(number) } } }
    queue.sync {}
    #expect(seen.withLock { $0 } == Array(0..<1_000))
  }

  @Test("A synchronous closure runs after those added before, and returns or throws")
  func synchronous() throws {
    let queue = SerialQueue(on: ThreadPool(size: 1))
    let count = Mutex(0)
    for _ in 0..<10 { queue.async { count.withLock { $0 += 1 } } }
    #expect(queue.sync { count.withLock { $0 } } == 10)
    #expect(throws: CancellationError.self) { try queue.sync { throw CancellationError() } }
    #expect(queue.sync { 5 } == 5)
  }

  @Test("Synchronous closures of many threads never overlap")
  func exclusive() {
    let queue = SerialQueue(on: ThreadPool(size: 2))
    let state = Mutex((running: 0, overlaps: 0, count: 0))
    @Sendable func enter() {
      state.withLock { state in
        state.running += 1
        if state.running > 1 { state.overlaps += 1 }
      }
      state.withLock { state in
        state.running -= 1
        state.count += 1
      }
    }
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      for step in 0..<500 {
        if (index + step).isMultiple(of: 3) { queue.async { enter() } } else { queue.sync(enter) }
      }
    }
    queue.sync {}
    #expect(state.withLock { $0.overlaps } == 0)
    #expect(state.withLock { $0.count } == 4_000)
  }

  @Test("A closure may wait for another queue, also if the pool has no further thread")
  func nested() {
    let pool = ThreadPool(size: 1)
    let (first, second) = (SerialQueue(on: pool), SerialQueue(on: pool))
    let seen = Mutex<[String]>([])
    let done = DispatchSemaphore(value: 0)
    first.async {
      // This waits for the pool's only thread, which is here.
      second.async { seen.withLock { $0.append("second") } }
      second.sync { seen.withLock { $0.append("within") } }
      done.signal()
    }
    done.wait()
    #expect(seen.withLock { $0 } == ["second", "within"])
  }

  @Test("A closure that continues lets other queues use the thread, and stays before later ones")
  func continues() {
    let pool = ThreadPool(size: 1)
    let (busy, other) = (SerialQueue(on: pool), SerialQueue(on: pool))
    let seen = Mutex<[String]>([])
    let done = DispatchSemaphore(value: 0)
    @Sendable func step(_ number: Int) {
      seen.withLock { $0.append("step \(number)") }
      if number == 1 { other.async { seen.withLock { $0.append("other") } } }
      if number < 3 { busy.asyncNext { step(number + 1) } }
    }
    busy.async {
      busy.async {
        seen.withLock { $0.append("later") }
        done.signal()
      }
      step(1)
    }
    done.wait()
    #expect(seen.withLock { $0 } == ["step 1", "other", "step 2", "step 3", "later"])
  }

  @Test("Queues that block share the pool's threads, and none is left at rest")
  func threads() {
    let pool = ThreadPool(size: 3)
    let queues = (0..<200).map { _ in SerialQueue(on: pool) }
    let (begun, gate, done) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    for queue in queues {
      queue.async {
        begun.signal()
        gate.wait()
        done.signal()
      }
    }
    for _ in 0..<3 { begun.wait() }
    #expect(pool.threadCount == 3)
    for _ in queues { gate.signal() }
    for _ in queues { done.wait() }
    for queue in queues { queue.sync {} }
    while pool.threadCount > 0 { sched_yield() }
  }
}
