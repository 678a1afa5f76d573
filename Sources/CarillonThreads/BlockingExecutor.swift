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
  package convenience init(maxThreads: Int) {
    self.init(on: ThreadPool(size: maxThreads))
  }

  /// - Parameter pool: The threads that run the tasks.
  package init(on pool: ThreadPool) {
    self.pool = pool
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    SerialQueue(on: pool).async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
