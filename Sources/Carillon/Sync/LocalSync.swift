package import CarillonModel
package import CarillonSync

/// Synchronizes two logs within one process.
package enum LocalSync {
  /// Exchanges the events that each of two logs lacks.
  ///
  /// Afterwards each log holds every event that the other held at the start.
  ///
  /// - Parameters:
  ///   - first: The initiator's log; the report describes its side.
  ///   - second: The responder's log.
  ///   - wallClock: The current time.
  ///   - options: The options of both sides.
  ///   - progress: Called after each message.
  /// - Throws: `SyncError`, `unreachable` if both sides wait for each other; `CancellationError` if
  ///   the task is cancelled. Events already appended are kept.
  package static func synchronize(
    _ first: any EventLog, _ second: any EventLog, wallClock: Instant,
    options: SyncOptions = .withinProcess,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try await synchronize(
      first, second, wallClock: wallClock, options: options, contents: (.unknown, .unknown),
      progress: progress)
  }

  /// Exchanges the events that each of two logs lacks, using what is known of their contents.
  ///
  /// - Parameter contents: What is known of the contents of each log.
  package static func synchronize(
    _ first: any EventLog, _ second: any EventLog, wallClock: Instant, options: SyncOptions,
    contents: (SyncContents, SyncContents),
    progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> SyncReport {
    let (here, there) = contents
    let before = try SyncExecutor(log: second, wallClock: wallClock).snapshot().identity
    let (near, far) = LocalTransport.pair()
    async let responder = result {
      defer { far.close() }
      _ = try await SyncDriver.respond(
        second, over: far, clock: { wallClock }, options: options, contents: there)
    }
    let led = await result {
      defer { near.close() }
      return try await SyncDriver.initiate(
        first, over: near, wallClock: wallClock, options: options, contents: here,
        progress: progress)
    }
    // If the responding log failed, its error is the cause; the initiator only saw the transport
    // end.
    try await responder.get()
    let after = try SyncExecutor(log: second, wallClock: wallClock).snapshot().identity
    return try led.get().naming(before, after)
  }

  private static func result<T: Sendable>(
    _ body: @Sendable () async throws -> T
  ) async -> Result<T, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
