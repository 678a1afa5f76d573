internal import Dispatch
internal import Synchronization

/// The threads on which the serial queues of a process run.
///
/// Work on a store blocks its thread: in SQLite, and until the disk has synced. With a thread for
/// each queue, 1,000 busy stores would use as many threads as the system allows. These threads are
/// few, exist only while there is work, and take turns at the queues.
package final class ThreadPool: Sendable {
  /// The threads that all stores share.
  package static let shared = ThreadPool(size: maxSharedThreads)

  /// The maximum number of threads that all stores share.
  private static let maxSharedThreads = 16

  private let size: Int
  /// Guards the queues that wait for a thread, and the number of threads.
  private let state = Mutex(State())

  private struct State {
    var queues: [SerialQueue] = []
    var threadCount = 0
  }

  /// - Parameter size: The maximum number of threads.
  package init(size: Int) {
    self.size = size
  }

  /// The number of threads that exist now.
  package var threadCount: Int { state.withLock(\.threadCount) }

  /// Whether queues wait for a thread.
  var hasWaitingQueues: Bool { state.withLock { !$0.queues.isEmpty } }

  /// Runs a queue on a thread, after those that wait already.
  func run(_ queue: SerialQueue) {
    let mustStart = state.withLock { state in
      state.queues.append(queue)
      guard state.threadCount < size else { return false }
      state.threadCount += 1
      return true
    }
    guard mustStart else { return }
    // A new queue of Dispatch has a thread of its own while it runs.
    DispatchQueue(label: "carillon.thread").async {
      while let queue = self.next() { queue.runOnPool() }
    }
  }

  /// Takes the next queue; nil ends the thread.
  private func next() -> SerialQueue? {
    state.withLock { state in
      guard !state.queues.isEmpty else {
        state.threadCount -= 1
        return nil
      }
      return state.queues.removeFirst()
    }
  }
}
