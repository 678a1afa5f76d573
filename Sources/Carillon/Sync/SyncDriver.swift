package import CarillonModel
package import CarillonSync

/// Runs a session's side over a link.
package enum SyncDriver {
  /// Leads a sync until both sides hold what the other announced.
  ///
  /// - Parameter progress: Called after each answer.
  /// - Throws: `SyncError`, what the link throws, and `CancellationError`. What was appended by
  ///   then is kept, and the next sync goes on from there.
  package static func lead(
    _ log: any EventLog, over link: any SyncLink, wallClock: Instant,
    options: SyncOptions = SyncOptions(),
    progress: @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    let executor = SyncExecutor(log: log, wallClock: wallClock)
    let before = try executor.snapshot()
    var session = SyncLeader(store: log.storeID, log: before, options: options)
    var input = SyncInput.start
    while true {
      if let report = try await run(&session, input, executor: executor, link: link) {
        progress(session.progress)
        return try report.naming(before.identity, executor.snapshot().identity)
      }
      progress(session.progress)
      switch try await link.receive() {
      case .message(let bytes): input = .message(bytes)
      case .quiet: input = .quiet
      case .closed:
        throw SyncError(
          code: .unreachable, message: "the link ended before the sync did; sync again")
      }
    }
  }

  /// Answers a leader until the link ends.
  ///
  /// - Throws: `SyncError` where the log fails, what the link throws, and `CancellationError`.
  package static func answer(
    _ log: any EventLog, over link: any SyncLink, wallClock: Instant,
    options: SyncOptions = SyncOptions()
  ) async throws {
    let executor = SyncExecutor(log: log, wallClock: wallClock)
    var session = SyncAnswerer(
      store: log.storeID, log: try executor.snapshot(), options: options)
    while true {
      switch try await link.receive() {
      case .quiet: continue
      case .closed: return
      case .message(let bytes):
        session.refresh(try executor.snapshot())
        _ = try await run(&session, .message(bytes), executor: executor, link: link)
      }
    }
  }

  /// Gives a session an input, and then what comes of its actions, until it waits for a message.
  private static func run(
    _ session: inout some SyncSession, _ input: SyncInput, executor: SyncExecutor,
    link: any SyncLink
  ) async throws -> SyncReport? {
    var next: SyncInput? = input
    var report: SyncReport?
    while let input = next {
      next = nil
      for action in try session.handle(input) {
        try Task.checkCancellation()
        switch action {
        case .send(let bytes): try await link.send(bytes)
        case .finished(let finished): report = finished
        case .identify, .append, .read: next = try await executor.perform(action)
        }
      }
    }
    return report
  }
}

extension SyncReport {
  /// Adds a new name, where a log took one.
  func naming(_ before: ReplicaIdentity, _ after: ReplicaIdentity) -> SyncReport {
    guard before.replica != after.replica else { return self }
    var report = self
    report.newIdentities.append(
      SyncNewIdentity(replica: after.replica, predecessor: before.replica))
    return report
  }
}
