import CarillonModel
internal import CarillonSync

/// Exchanges messages of a sync with a responder, such as over HTTP.
///
/// See <doc:Syncing> for an example.
public protocol SyncExchange: Sendable {
  /// Sends a message, and returns the answer of the responder.
  ///
  /// At most one call is under way at a time. The message is sent again if the call throws, so a
  /// responder may receive it more than once.
  ///
  /// - Throws: A `StoreError` to end the sync, such as with the code `denied` if the responder no
  ///   longer accepts this device. Any other error counts as a lost message.
  func answer(to message: [UInt8]) async throws -> [UInt8]
}

/// The transport over an exchange: a message is answered when its answer is waited for.
actor ExchangeTransport: SyncTransport {
  private let exchange: any SyncExchange
  private var messages: [[UInt8]] = []
  /// The number of times in a row that no message was answered.
  private var failureCount = 0
  private var lastError: (any Error)?

  private let firstPause: Duration
  private static let maxFailures = 8
  private static let maxPause = Duration.seconds(4)

  /// - Parameter firstPause: The time before lost messages are sent again; it doubles.
  init(_ exchange: any SyncExchange, firstPause: Duration = .milliseconds(250)) {
    (self.exchange, self.firstPause) = (exchange, firstPause)
  }

  func send(_ message: [UInt8]) {
    messages.append(message)
  }

  /// Returns the next answer; `quiet`, after a pause, if all messages were lost.
  func receive() async throws -> SyncArrival {
    while !messages.isEmpty {
      let message = messages.removeFirst()
      do {
        let answer = try await exchange.answer(to: message)
        (failureCount, lastError) = (0, nil)
        return .message(answer)
      } catch let error where error is StoreError || error is CancellationError {
        throw error
      } catch {
        try Task.checkCancellation()
        lastError = error
      }
    }
    failureCount += 1
    guard failureCount <= Self.maxFailures else {
      throw SyncError(
        code: .unreachable,
        message: "no message was answered in \(failureCount) attempts"
          + (lastError.map { "; the last one failed: \($0)" } ?? ""),
        cause: lastError)
    }
    try await Task.sleep(for: min(firstPause * (1 << (failureCount - 1)), Self.maxPause))
    return .quiet
  }

  func close() {}
}

extension Store {
  /// Exchanges the events that each side lacks with a replica that answers message by message, such
  /// as a service.
  ///
  /// This store is the initiator. A lost message is sent again, at most eight times in a row
  /// without an answer.
  ///
  /// - Parameters:
  ///   - exchange: Passes each message to the responder, and returns its answer.
  ///   - options: The options of this side.
  ///   - progress: Called with the number of events transferred and the number known to be
  ///     transferred.
  /// - Returns: What was transferred, as seen by this store.
  /// - Throws: `unreachable` if no message is answered; the `StoreError` that the exchange throws;
  ///   otherwise the errors of ``sync(with:audits:progress:)``. Events already appended are kept;
  ///   sync again.
  @discardableResult
  public func sync(
    through exchange: any SyncExchange, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(StoreError) -> SyncReport {
    try await sync(over: ExchangeTransport(exchange), options: options, progress: progress)
  }
}
