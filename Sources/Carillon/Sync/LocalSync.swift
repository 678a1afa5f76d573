public import CarillonModel
public import CarillonSync

/// Sync between two logs of one process.
public enum LocalSync {
  /// Exchanges what each of two logs lacks; both then hold what the other held at the start.
  ///
  /// - Parameters:
  ///   - first: Leads; the report is as it sees it.
  ///   - second: Answers.
  ///   - wallClock: The time of this call.
  ///   - options: Of both sides.
  ///   - progress: Called after each message.
  /// - Throws: `SyncError`, `unreachable` where both sides wait for each other; and
  ///   `CancellationError` where the task is cancelled. What was appended by then is kept.
  public static func synchronize(
    _ first: any EventLog, _ second: any EventLog, wallClock: Instant,
    options: SyncOptions = .withinProcess,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try await synchronize(
      first, second, wallClock: wallClock, options: options, contents: (.unknown, .unknown),
      progress: progress)
  }

  /// The same.
  ///
  /// - Parameter contents: What is known of either log's contents.
  package static func synchronize(
    _ first: any EventLog, _ second: any EventLog, wallClock: Instant, options: SyncOptions,
    contents: (SyncContents, SyncContents),
    progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> SyncReport {
    let (here, there) = contents
    let before = try SyncExecutor(log: second, wallClock: wallClock).snapshot().identity
    let (near, far) = LocalTransport.pair()
    async let answering = result {
      defer { far.close() }
      _ = try await SyncDriver.answer(
        second, over: far, clock: { wallClock }, options: options, contents: there)
    }
    let led = await result {
      defer { near.close() }
      return try await SyncDriver.lead(
        first, over: near, wallClock: wallClock, options: options, contents: here,
        progress: progress)
    }
    // Where the answering log failed, that is the reason; the initiator only saw the transport end.
    try await answering.get()
    let after = try SyncExecutor(log: second, wallClock: wallClock).snapshot().identity
    return try led.get().naming(before, after)
  }

  private static func result<T: Sendable>(
    _ body: @Sendable () async throws -> T
  ) async -> Result<T, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
