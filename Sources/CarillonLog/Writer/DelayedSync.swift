package import CarillonThreads
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Syncs a log's commits within a limit, for a writer whose commits are not durable when they
/// return.
package final class DelayedSync: Sendable {
  private let limit: Duration
  private let queue: SerialQueue
  private let syncAll: @Sendable () throws -> Void
  private let state = Mutex(State())

  private struct State {
    /// Whether there are commits that were not synced.
    var isDue = false
    /// The error of a sync: what it did not sync may be lost, even if a later one succeeds.
    var failure: (any Error)?
  }

  /// - Parameters:
  ///   - limit: The longest time between a commit and the start of its sync.
  ///   - queue: The writer's queue.
  ///   - syncAll: Makes all commits durable.
  package init(
    within limit: Duration, on queue: SerialQueue, syncAll: @escaping @Sendable () throws -> Void
  ) {
    self.limit = limit
    self.queue = queue
    self.syncAll = syncAll
  }

  /// Schedules a sync, unless one is scheduled; called on the writer's queue.
  package func noteCommit() {
    let isFirst = state.withLock { state in
      defer { state.isDue = true }
      return !state.isDue
    }
    guard isFirst else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { [weak self] in
      guard let self else { return }
      queue.asyncNext { self.sync() }
    }
  }

  /// - Throws: The error of a sync that failed.
  package func requireSuccess() throws {
    if let failure = state.withLock(\.failure) { throw failure }
  }

  /// Syncs the commits that were not synced; called on the writer's queue.
  package func sync() {
    guard state.withLock({ $0.isDue && $0.failure == nil }) else { return }
    let result = Result { try syncAll() }
    state.withLock { state in
      state.isDue = false
      if case .failure(let error) = result { state.failure = error }
    }
  }
}
