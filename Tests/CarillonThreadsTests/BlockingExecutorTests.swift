import CarillonThreads
import Dispatch
import Testing

/// Tasks that block.
struct BlockingExecutorTests {
  @Test("Tasks that block take no thread from other tasks")
  func blocking() async throws {
    let executor = BlockingExecutor(maxThreads: 64)
    let gate = DispatchSemaphore(value: 0)
    // More than Swift has threads on usual computers.
    let tasks = (0..<64).map { _ in
      Task(executorPreference: executor) { Self.wait(gate) }
    }
    await Task {}.value
    for _ in tasks { gate.signal() }
    for task in tasks { await task.value }
  }

  @Test("A task goes on after it has waited for another one")
  func suspension() async {
    let sum = await withTaskExecutorPreference(BlockingExecutor(maxThreads: 1)) {
      var sum = 0
      for number in 0..<100 {
        await Task.yield()
        sum += await Task { number }.value
      }
      return sum
    }
    #expect(sum == 4_950)
  }

  private static func wait(_ gate: DispatchSemaphore) { gate.wait() }
}
