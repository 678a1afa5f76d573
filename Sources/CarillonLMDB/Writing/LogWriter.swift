internal import CarillonModel
internal import Dispatch
internal import Foundation
internal import Logging
internal import Synchronization

/// The one writer of a log in this process: a serial queue, whose thread begins, fills and commits
/// each transaction.
///
/// Calls that wait share a commit.
final class LogWriter: Sendable {
  private let environment: LogEnvironment
  private let states: StateCache
  private let appends: AppendStreams
  private let options: LMDBLogOptions
  private let commits = Atomic(0)
  /// The log's directory, where it may be a copy and there was no room to claim an identity.
  private let unclaimed = Mutex<String?>(nil)
  private let lookUps = Atomic(0)
  private let waiting = WriteQueue()
  private let queue = DispatchQueue(label: "carillon.log.writer")

  /// The most events of one commit, beyond which calls wait for the next.
  private static let maxEventCount = 16_384

  /// How often dead readers are looked for, besides at open.
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

  /// How many commits were made.
  var commitCount: Int { commits.load(ordering: .relaxed) }

  /// How many events writers looked up.
  var lookUpCount: Int { lookUps.load(ordering: .relaxed) }

  /// Queues a request and waits for its commit.
  ///
  /// - Parameter announcement: What the caller's handle says first under a new identity.
  func write(
    _ request: WriteRequest, announcement: @escaping IdentityAnnouncement
  ) async throws -> WriteOutcome {
    try await withCheckedThrowingContinuation { continuation in
      add(
        WriteJob(request: request, announcement: announcement) { continuation.resume(with: $0) })
    }
  }

  /// Does a request on the writer's thread and blocks until it is done; for opening only.
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

  /// Lets the next transaction claim an identity where the directory is a copy.
  func claimIdentityLater(in directory: String) {
    unclaimed.withLock { $0 = directory }
  }

  /// Lets the writer's thread follow a map that another process has grown.
  func adoptMapSize() throws {
    try queue.sync { try environment.adoptMapSize() }
  }

  /// Blocks until the calls that wait now are done.
  func waitUntilIdle() {
    afterWaitingNow {}
  }

  /// Calls `body` on the writer's thread, after the calls that wait now.
  func afterWaiting(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }

  /// Calls `body` after the calls that wait now, and blocks until it is done.
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

  /// Where callers shared a commit, they come back together: waits until as many are queued again,
  /// as long as one comes at least every 200 µs, and at most 2 ms.
  ///
  /// A lone caller never waits, nor do big batches, which gain nothing.
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

  /// Commits a group: each member has its own outcome, all share the commit.
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
        options.logger.debug("The log's map was full and has grown.")
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
    /// A member failed after it had put something; the group is run again without it.
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
      if count > 0 { options.logger.info("Forgot \(count) readers of processes that ended.") }
    } catch {
      options.logger.warning("Cannot check for readers of processes that ended: \(error)")
    }
  }

  /// False at the limit, where the failure stands.
  private func tryGrow() -> Bool {
    do {
      try environment.grow()
      return true
    } catch {
      options.logger.warning("The log's map is full: \(error)")
      return false
    }
  }
}
