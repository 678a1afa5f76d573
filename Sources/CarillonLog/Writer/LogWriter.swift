package import CarillonModel
package import CarillonThreads
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The requirements of a log's writer on its storage.
package protocol LogBackend: Sendable {
  /// The newest known state.
  var newestState: LogState? { get }

  /// Starts a transaction, waiting for other processes. If the directory is a copy, the transaction
  /// first takes a new identity.
  func begin() throws -> any LogTransaction

  /// Whether an error comes from the storage, so that the whole transaction is invalid.
  func isFailure(_ error: any Error) -> Bool

  /// Tries to recover from a failed transaction, and returns whether it may be repeated.
  func recover(from error: any Error) -> Bool

  /// Receives the state after a transaction.
  ///
  /// - Parameter commitCount: The number of commits that this writer has made; nil if the
  ///   transaction wrote nothing.
  func didEnd(with state: LogState, commitCount: Int?)

  /// Makes all commits durable; called if they are not durable when they return.
  func sync() throws

  /// Returns the port's error for an error of the storage.
  func translate(_ error: any Error) -> any Error
}

extension LogBackend {
  package func recover(from error: any Error) -> Bool { false }

  package func sync() throws {}
}

/// The one writer of a log in this process: a serial queue that starts, fills and commits each
/// transaction.
///
/// Calls that wait at the same time share a commit.
package final class LogWriter: Sendable {
  private let backend: any LogBackend
  private let appends: Broadcast<LogPosition>
  private let makeReplicaID: @Sendable () -> ReplicaID
  private let commits = Atomic(0)
  private let waiting = WriteQueue()
  private let queue: SerialQueue
  /// Syncs the commits later; nil if each commit does.
  private let delayedSync: DelayedSync?

  /// The maximum number of events in one commit.
  ///
  /// Further calls wait for the next commit.
  private static let maxEventCount = 16_384

  /// - Parameter threads: Those that the writer may block.
  package init(
    _ backend: any LogBackend, appends: Broadcast<LogPosition>, durability: Durability = .full,
    on threads: ThreadPool = .shared, makeReplicaID: @escaping @Sendable () -> ReplicaID
  ) {
    self.backend = backend
    self.appends = appends
    self.makeReplicaID = makeReplicaID
    let queue = SerialQueue(on: threads)
    self.queue = queue
    delayedSync =
      if case .relaxed(let limit) = durability {
        DelayedSync(within: limit, on: queue) { try backend.sync() }
      } else {
        nil
      }
  }

  /// The number of commits that were made.
  package var commitCount: Int { commits.load(ordering: .relaxed) }

  /// Queues a request and waits for its commit.
  ///
  /// - Parameter rules: Those of the caller's handle.
  package func write(
    _ request: WriteRequest, rules: WriteRules
  ) async throws -> WriteOutcome {
    if MainThread.isCurrent, let outcome = try writeNow(request, rules: rules) { return outcome }
    return try await withCheckedThrowingContinuation { continuation in
      enqueue(request, rules: rules) { continuation.resume(with: $0) }
    }
  }

  /// Queues a request, and calls `finish` once after its commit, on the writer's thread.
  func enqueue(
    _ request: WriteRequest, rules: WriteRules,
    finish: @escaping @Sendable (Result<WriteOutcome, any Error>) -> Void
  ) {
    let job = WriteJob(request: request, rules: rules, finish: finish)
    if waiting.add(job) { queue.async { self.drain() } }
  }

  /// Performs a request on the writer's thread, and blocks until it is finished.
  @discardableResult
  package func writeNow(
    _ request: WriteRequest, rules: WriteRules = WriteRules()
  ) throws -> WriteOutcome? {
    let result = Mutex<Result<WriteOutcome, any Error>?>(nil)
    queue.sync {
      let job = WriteJob(request: request, rules: rules) { outcome in
        result.withLock { $0 = outcome }
      }
      commit([job])
    }
    return try result.withLock { $0 }?.get()
  }

  /// Calls `body` on the writer's thread, after the calls that are waiting now.
  package func afterWaiting(_ body: @escaping @Sendable () -> Void) {
    queue.async(body)
  }

  /// Calls `body` after the calls that are waiting now, and waits for it without blocking.
  package func afterWaiting(_ body: @escaping @Sendable () -> Void) async {
    await queue.perform(body)
  }

  /// Calls `body` after the calls that are waiting now, and blocks until it returns.
  package func afterWaitingNow<Result>(_ body: () throws -> Result) rethrows -> Result {
    try queue.sync(body)
  }

  /// Makes the commits durable that are not; called on the writer's thread.
  package func syncCommits() {
    delayedSync?.sync()
  }

  // MARK: - On the writer's thread

  private func drain() {
    guard let group = waiting.take(maxEventCount: Self.maxEventCount) else { return }
    commit(group)
    linger(after: group)
    // Other logs may use the thread in between.
    queue.asyncNext { self.drain() }
  }

  /// Waits for the callers that shared a commit to queue their next calls, since they tend to
  /// return together.
  ///
  /// It waits until as many calls are queued again, as long as one arrives at least every 200 µs,
  /// for at most 2 ms.
  ///
  /// A lone caller never waits. Large batches do not wait either, because they gain nothing.
  private func linger(after group: [WriteJob]) {
    guard group.count > 1, group.reduce(0, { $0 + $1.eventCount }) < 256 else { return }
    let start = DispatchTime.now().uptimeNanoseconds
    var (seen, newest) = (waiting.count, start)
    while seen < group.count {
      sched_yield()
      let (count, now) = (waiting.count, DispatchTime.now().uptimeNanoseconds)
      if count > seen { (seen, newest) = (count, now) }
      guard now < newest + 200_000, now < start + 2_000_000 else { return }
    }
  }

  /// Commits a group of calls.
  ///
  /// Each has its own outcome, and all share the commit.
  private func commit(_ group: [WriteJob]) {
    var members = group
    var mustPredict = waiting.isPredictionLost
    while !members.isEmpty {
      do {
        switch try attempt(members) {
        case .committed(let outcomes, let allPredicted):
          mustPredict = mustPredict || !allPredicted
          for (member, outcome) in zip(members, outcomes) { member.finish(outcome) }
          members = []
        case .refused(let index, let error):
          members.remove(at: index).finish(.failure(error))
          mustPredict = true
        }
      } catch {
        guard !backend.recover(from: error) else { continue }
        mustPredict = true
        for member in members { member.finish(.failure(backend.translate(error))) }
        members = []
      }
    }
    if mustPredict, let state = backend.newestState { waiting.predict(from: state) }
  }

  private enum Attempt {
    case committed([Result<WriteOutcome, any Error>], allPredicted: Bool)
    /// A member failed after it had written something. The group is repeated without it.
    case refused(Int, any Error)
  }

  private func attempt(_ members: [WriteJob]) throws -> Attempt {
    try delayedSync?.requireSuccess()
    let transaction = try backend.begin()
    defer { transaction.abort() }
    let before = transaction.base.lastPosition
    var outcomes: [Result<WriteOutcome, any Error>] = []
    var allPredicted = true
    for (index, member) in members.enumerated() {
      let putCount = transaction.putCount
      let policy = IdentityPolicy(rules: member.rules, makeReplicaID: makeReplicaID)
      do {
        let (outcome, wasPredicted) = try member.request.perform(in: transaction, policy: policy)
        outcomes.append(.success(outcome))
        allPredicted = allPredicted && wasPredicted
      } catch  where backend.isFailure(error) {
        throw error
      } catch {
        let error = backend.translate(error)
        guard transaction.putCount == putCount else {
          try transaction.requireBase()
          return .refused(index, error)
        }
        outcomes.append(.failure(error))
        allPredicted = false
      }
    }
    guard transaction.putCount > 0 else {
      backend.didEnd(with: transaction.state, commitCount: nil)
      return .committed(outcomes, allPredicted: allPredicted)
    }
    try transaction.commit()
    delayedSync?.noteCommit()
    let count = commits.add(1, ordering: .relaxed).newValue
    let state = transaction.state
    backend.didEnd(with: state, commitCount: count)
    if state.lastPosition > before { appends.yield(LogPosition(rawValue: state.lastPosition)) }
    return .committed(outcomes, allPredicted: allPredicted)
  }
}
