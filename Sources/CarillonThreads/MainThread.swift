internal import Dispatch
internal import Synchronization

/// Runs a task on the main thread of a program that does one thing and ends.
///
/// Starting a thread and handing work from one to another takes longer than a short answer. So the
/// task's calls of a ``SerialQueue`` run on this thread too, instead of on the pool.
///
/// Tasks that it creates without the same preference run on Swift's own threads.
package final class MainThread: TaskExecutor {
  private static let shared = MainThread()

  private let jobs = Mutex<[UnownedJob]>([])
  /// Signalled for each job.
  private let added = DispatchSemaphore(value: 0)

  /// Whether the current task runs here, so that it may block its thread.
  package static var isCurrent: Bool {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor } == shared.asUnownedTaskExecutor()
  }

  /// Runs a function that ends the process.
  ///
  /// Must be called on the main thread, once.
  package static func run(_ body: @escaping @Sendable () async -> Never) -> Never {
    Task(executorPreference: shared) { await body() }
    while true {
      shared.added.wait()
      let job = shared.jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: shared.asUnownedTaskExecutor())
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    added.signal()
  }
}
