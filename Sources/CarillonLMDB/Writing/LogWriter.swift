internal import CarillonModel
internal import Dispatch
internal import Foundation
internal import Logging
internal import Synchronization

/// The one writer of a log in this process: a serial queue whose thread starts, fills and commits
/// each transaction.
///
/// Calls that wait at the same time share a commit.
final class LogWriter: Sendable {
  private let environment: LogEnvironment
  private let states: StateCache
  private let appends: AppendStreams
  private let options: LMDBLogOptions
  private let commits = Atomic(0)
  /// The log's directory if it may be a copy and there was no disk space to claim a new identity.
  private let unclaimed = Mutex<String?>(nil)
  private let lookUps = Atomic(0)
  private let waiting = WriteQueue()
  private let queue = DispatchQueue(label: "carillon.log.writer")

  /// The maximum number of events in one commit.
  ///
  /// Further calls wait for the next commit.
  private static let maxEventCount = 16_384

  /// The number of commits between checks for readers of ended processes.
  ///
  /// Opening a log also checks.
  private static let commitsBetweenChecks = 1_024

  init(
    environment: LogEnvironment, states: StateCache, appends: AppendStreams,
    options: LMDBLogOptions
  ) {
    self.environment = environment
    self.states = states
    self.appends = appends
    self.options = options
  }

  /// The number of commits that were made.
  var commitCount: Int { commits.load(ordering: .relaxed) }

  /// The number of events that transactions looked up.
  var lookUpCount: Int { lookUps.load(ordering: .relaxed) }

  /// Queues a request and waits for its commit.
  ///
  /// - Parameter announcement: The identity announcement of the caller's handle.
  func write(
    _ request: WriteRequest, announcement: @escaping IdentityAnnouncement
  ) async throws -> WriteOutcome {
    try await withCheckedThrowingContinuation { continuation in
      add(
        WriteJob(request: request, announcement: announcement) { continuation.resume(with: $0) })
    }
  }

  /// Performs a request on the writer's thread and blocks until it is finished.
  ///
  /// Used only while opening.
  func writeNow(_ request: WriteRequest) throws {
    let result = Mutex<Result<WriteOutcome, any Error>?>(nil)
    queue.sync {
      let job = WriteJob(request: request, announcement: { _ in [] }) { outcome in
        result.withLock { $0 = outcome }
      }
      commit([job])
    }
    _ = try result.withLock { $0 }?.get()
  }

  /// Makes the next transaction claim a new identity if the directory is a copy.
  func claimIdentityLater(in directory: String) {
    unclaimed.withLock { $0 = directory }
  }

  /// Adopts, on the writer's thread, the map size after another process has grown the file.
  func adoptMapSize() throws {
    try queue.sync { try environment.adoptMapSize() }
  }

  /// Blocks until the calls that are waiting now are finished.
  func waitUntilIdle() {
    afterWaitingNow {}
  }

  /// Calls `body` on the writer's thread, after the calls that are waiting now.
  func afterWaiting(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }

  /// Calls `body` after the calls that are waiting now, and blocks until it returns.
  func afterWaitingNow(_ body: () -> Void) {
    queue.sync(execute: body)
  }

  // MARK: - On the writer's thread

  private func add(_ job: WriteJob) {
    if waiting.add(job) { queue.async { self.drain() } }
  }

  private func drain() {
    while let group = waiting.take(maxEventCount: Self.maxEventCount) {
      commit(group)
      linger(after: group)
    }
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
      } catch  where error.isMapFull && tryGrow() {
        options.logger.debug("the log's map was full and was enlarged")
      } catch {
        mustPredict = true
        for member in members { member.finish(.failure(LogError.wrapping(error))) }
        members = []
      }
    }
    if mustPredict, let state = states.newest { waiting.predict(from: state) }
  }

  private enum Attempt {
    case committed([Result<WriteOutcome, any Error>], allPredicted: Bool)
    /// A member failed after it had written something. The group is repeated without it.
    case refused(Int, any Error)
  }

  private func attempt(_ members: [WriteJob]) throws -> Attempt {
    let transaction = try WriteTransaction(environment: environment) { try states.state(of: $0) }
    defer { transaction.abort() }
    if let directory = unclaimed.withLock({ $0 }) {
      let marker = try IdentityMarker(in: directory, creating: true)
      try transaction.claim(marker, makeReplicaID: options.makeReplicaID)
    }
    let before = transaction.state.lastPosition
    var outcomes: [Result<WriteOutcome, any Error>] = []
    var allPredicted = true
    for (index, member) in members.enumerated() {
      let putCount = transaction.putCount
      let policy = IdentityPolicy(
        announcement: member.announcement, makeReplicaID: options.makeReplicaID)
      do {
        let (outcome, wasPredicted) = try member.request.perform(in: transaction, policy: policy)
        outcomes.append(.success(outcome))
        allPredicted = allPredicted && wasPredicted
      } catch let failure as StorageFailure {
        throw failure
      } catch {
        let error = LogError.wrapping(error)
        guard transaction.putCount == putCount else { return .refused(index, error) }
        outcomes.append(.failure(error))
        allPredicted = false
      }
    }
    lookUps.add(transaction.lookUpCount, ordering: .relaxed)
    guard transaction.putCount > 0 else {
      states.put(transaction.state)
      return .committed(outcomes, allPredicted: allPredicted)
    }
    let state = try transaction.commit()
    unclaimed.withLock { $0 = nil }
    let count = commits.add(1, ordering: .relaxed).newValue
    states.put(state)
    if count.isMultiple(of: Self.commitsBetweenChecks) { checkReaders() }
    if state.lastPosition > before { appends.yield(Position(rawValue: state.lastPosition)) }
    return .committed(outcomes, allPredicted: allPredicted)
  }

  private func checkReaders() {
    do {
      let count = try environment.checkReaders()
      if count > 0 { options.logger.info("removed \(count) readers of ended processes") }
    } catch {
      options.logger.warning("cannot check for readers of ended processes: \(error)")
    }
  }

  /// Enlarges the map, and returns false at its limit, where the original failure is reported.
  private func tryGrow() -> Bool {
    do {
      try environment.grow()
      return true
    } catch {
      options.logger.warning("the log's map is full: \(error)")
      return false
    }
  }
}
