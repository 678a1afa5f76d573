package import CarillonModel
package import CarillonSync
internal import CarillonWire

/// Runs one side of a session over a transport.
package enum SyncDriver {
  /// Runs the initiator of a sync until each side holds what the other announced.
  ///
  /// The transport stays open.
  ///
  /// - Parameter progress: Called after each answer.
  /// - Throws: `SyncError`, the errors of the transport, and `CancellationError`. Events already
  ///   appended are kept, and the next sync continues from there.
  package static func initiate(
    _ log: any EventLog, over transport: any SyncTransport, wallClock: Instant,
    options: SyncOptions = SyncOptions(), contents: SyncContents = .unknown,
    progress: @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    let executor = SyncExecutor(log: log, wallClock: wallClock, contents: contents)
    let before = try executor.snapshot()
    var session = SyncInitiator(store: log.storeID, log: before, options: options)
    var input = SyncInput.start
    while true {
      if let report = try await run(&session, input, executor: executor, transport: transport) {
        progress(session.progress)
        let after = try executor.snapshot()
        return try report.naming(before.identity, after.identity)
          .warning(of: after, since: before, wallClock: wallClock, names: contents.names)
      }
      progress(session.progress)
      do {
        input = try await next(from: transport)
      } catch let error as SyncError {
        throw session.explaining(error)
      }
    }
  }

  /// Returns the initiator's next input.
  private static func next(from transport: any SyncTransport) async throws -> SyncInput {
    switch try await linking({ try await transport.receive() }) {
    case .message(let bytes): .message(bytes)
    case .quiet: .quiet
    case .closed:
      throw SyncError(
        code: .unreachable, message: "the transport ended before the sync did; sync again")
    }
  }

  /// Answers an initiator until the transport ends.
  ///
  /// - Parameter clock: Called for each message, since a transport may stay open for days.
  /// - Throws: `SyncError` if the log or the transport fails, and `CancellationError`.
  package static func respond(
    _ log: any EventLog, over transport: any SyncTransport, clock: @Sendable () -> Instant,
    options: SyncOptions = SyncOptions(), contents: SyncContents = .unknown
  ) async throws -> SyncResponse {
    var answered = SyncResponse()
    let first = try SyncExecutor(log: log, wallClock: clock()).snapshot().identity.replica
    while true {
      switch try await linking({ try await transport.receive() }) {
      case .quiet: continue
      case .closed: return answered
      case .message(let bytes):
        let (messages, gained) = try await answers(
          to: bytes, of: log, wallClock: clock(), options: options, contents: contents,
          firstReplica: first)
        answered += gained
        for message in messages {
          try Task.checkCancellation()
          try await linking { try await transport.send(message) }
        }
      }
    }
  }

  /// Returns whether a message requests an audit, which reads the whole log.
  package static func isAudit(_ message: [UInt8]) -> Bool {
    SyncMessage.requestsAudit(message)
  }

  /// Returns a log's answers to one message.
  ///
  /// Keeps no state between messages except the log.
  ///
  /// - Parameters:
  ///   - snapshot: The log as it was after the message arrived; nil to ask it.
  ///   - firstReplica: The log's ReplicaID before the first message of the transport; nil if there
  ///     is no transport.
  ///   - threads: Where the log is used, which blocks; nil to use it where the caller runs.
  /// - Throws: `SyncError` if the log fails.
  package static func answers(
    to message: [UInt8], of log: any EventLog, at snapshot: LogSnapshot? = nil, wallClock: Instant,
    options: SyncOptions, contents: SyncContents = .unknown, firstReplica: ReplicaID? = nil,
    threads: (any TaskExecutor)? = nil
  ) async throws -> (messages: [[UInt8]], answered: SyncResponse) {
    let executor = SyncExecutor(log: log, wallClock: wallClock, contents: contents)
    let before = try snapshot ?? executor.snapshot()
    var session = SyncResponder(
      store: log.storeID, log: before, options: options, firstReplica: firstReplica)
    var messages: [[UInt8]] = []
    var next: SyncInput? = .message(message)
    while let input = next {
      next = nil
      for action in try session.handle(input) {
        if case .send(let bytes) = action { messages.append(bytes) }
        next = try await withTaskExecutorPreference(action.usesLog ? threads : nil) {
          try await executor.perform(action)
        }
      }
    }
    var answered = SyncResponse()
    answered.messages = 1 + messages.count
    answered.bytesReceived = message.count
    answered.bytesSent = messages.reduce(0) { $0 + $1.count }
    answered.eventsReceived = session.eventsReceived
    answered.repaired = session.eventsRepaired
    answered.missing = session.eventsMissing
    answered.refused = session.refused
    if answered.repaired > 0 { try await contents.project() }
    let after = session.log.identity.replica
    if after != before.identity.replica {
      answered.newIdentities = [
        SyncNewIdentity(replica: after, predecessor: before.identity.replica)
      ]
    }
    return (messages, answered)
  }

  /// Passes an input to a session, then the results of its actions, until it waits for a message.
  private static func run(
    _ session: inout some SyncSession, _ input: SyncInput, executor: SyncExecutor,
    transport: any SyncTransport
  ) async throws -> SyncReport? {
    var next: SyncInput? = input
    var report: SyncReport?
    while let input = next {
      next = nil
      for action in try session.handle(input) {
        try Task.checkCancellation()
        switch action {
        case .send(let bytes): try await linking { try await transport.send(bytes) }
        case .finished(let finished): report = finished
        case .identify, .append, .read, .collect, .findWanted, .digestState:
          next = try await executor.perform(action)
        }
      }
    }
    return report
  }

  /// Runs a body that uses a transport.
  ///
  /// An unknown error of a transport that an app implements becomes `unreachable`.
  private static func linking<T>(_ body: () async throws -> T) async throws -> T {
    do {
      return try await body()
    } catch let error where error is SyncError || error is StoreError || error is CancellationError
    {
      throw error
    } catch {
      try Task.checkCancellation()
      throw SyncError(code: .unreachable, message: "the transport failed: \(error)", cause: error)
    }
  }
}

extension SyncReport {
  /// Adds a warning for each replica whose new events are further ahead of this device's clock than
  /// clocks normally differ.
  ///
  /// - Parameter names: Returns the display names of replicas. Called only if there is a warning.
  func warning(
    of after: LogSnapshot, since before: LogSnapshot, wallClock: Instant,
    names: () throws -> [ReplicaID: String]
  ) throws -> SyncReport {
    let heads = Set(before.branches.map(\.headID))
    var greatest: [ReplicaID: Timestamp] = [:]
    for branch in after.branches
    where !heads.contains(branch.headID) && branch.replica != after.identity.replica
      && branch.headID.timestamp.isAhead(of: wallClock)
    {
      let timestamp = branch.headID.timestamp
      greatest[branch.replica] = max(greatest[branch.replica] ?? timestamp, timestamp)
    }
    guard !greatest.isEmpty else { return self }
    let names = try names()
    var report = self
    for (replica, timestamp) in greatest.sorted(by: { $0.key < $1.key }) {
      let ahead = Store.duration(timestamp.milliseconds - wallClock.milliseconds)
      report.warnings.append(
        "received events of \(names[replica] ?? "\(replica)") from \(ahead) ahead of this device's "
          + "clock; its clock, or that of a replica it synced with, was ahead")
    }
    return report
  }

  /// Adds the new identity, if a log took one.
  func naming(_ before: ReplicaIdentity, _ after: ReplicaIdentity) -> SyncReport {
    guard before.replica != after.replica else { return self }
    var report = self
    report.newIdentities.append(
      SyncNewIdentity(replica: after.replica, predecessor: before.replica))
    return report
  }
}
