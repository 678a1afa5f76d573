/// Runs tasks that compute for long or block, so that they take no thread from all other tasks.
///
/// Swift's own threads are as few as the processors: a parser that keeps them all busy would stop
/// everything else in the process.
///
/// ```swift
/// try await withTaskExecutorPreference(BlockingExecutor.shared) { try await parse(file) }
/// ```
package final class BlockingExecutor: TaskExecutor {
  package static let shared = BlockingExecutor(maxThreads: 4)

  private let pool: ThreadPool

  /// - Parameter maxThreads: The maximum number of tasks that run at a time.
  package init(maxThreads: Int) {
    pool = ThreadPool(size: maxThreads)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    SerialQueue(on: pool).async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
