internal import CarillonLog
internal import CarillonModel
internal import Logging
internal import Synchronization

/// The storage of a log's writer on LMDB.
final class LMDBBackend: LogBackend {
  private let environment: LogEnvironment
  private let states: StateCache
  private let options: LMDBLogOptions
  /// The log's directory if it may be a copy and a new identity was not claimed yet.
  private let unclaimed = Mutex<String?>(nil)
  private let lookUps = Atomic(0)

  /// The number of commits between checks for readers of ended processes.
  ///
  /// Opening a log also checks.
  private static let commitsBetweenChecks = 1_024

  init(environment: LogEnvironment, states: StateCache, options: LMDBLogOptions) {
    self.environment = environment
    self.states = states
    self.options = options
  }

  /// The number of events that transactions looked up.
  var lookUpCount: Int { lookUps.load(ordering: .relaxed) }

  var newestState: LogState? { states.newest }

  /// Makes the next transaction claim a new identity if the directory is a copy.
  func claimIdentity(in directory: String) {
    unclaimed.withLock { $0 = directory }
  }

  func begin() throws -> any LogTransaction {
    let transaction = try WriteTransaction(environment: environment) {
      try SharedLog.state(of: $0, states)
    } noteLookUps: { count in
      self.lookUps.add(count, ordering: .relaxed)
    }
    do {
      if let directory = unclaimed.withLock({ $0 }) {
        let marker = try IdentityMarker(at: LogFormat.marker(in: directory), creating: true)
        try transaction.claim(marker, makeReplicaID: options.makeReplicaID)
      }
      return transaction
    } catch {
      transaction.abort()
      throw error
    }
  }

  func isFailure(_ error: any Error) -> Bool { error is StorageFailure }

  /// Enlarges the map if it was full, and returns whether it did.
  ///
  /// At the map's limit the original failure is reported.
  func recover(from error: any Error) -> Bool {
    guard error.isMapFull else { return false }
    do {
      try environment.grow()
      options.logger.debug("the log's map was full and was enlarged")
      return true
    } catch {
      options.logger.warning("the log's map is full: \(error)")
      return false
    }
  }

  func didEnd(with state: LogState, commitCount: Int?) {
    states.put(state)
    guard let commitCount else { return }
    unclaimed.withLock { $0 = nil }
    if commitCount.isMultiple(of: Self.commitsBetweenChecks) { checkReaders() }
  }

  func sync() throws { try environment.sync() }

  func translate(_ error: any Error) -> any Error { LogError.translating(error) }

  // MARK: -

  private func checkReaders() {
    do {
      let count = try environment.checkReaders()
      if count > 0 { options.logger.info("removed \(count) readers of ended processes") }
    } catch {
      options.logger.warning("cannot check for readers of ended processes: \(error)")
    }
  }
}
