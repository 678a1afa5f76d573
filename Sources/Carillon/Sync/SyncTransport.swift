internal import CarillonSync

/// Carries messages between the two sides of a sync.
///
/// A transport may lose, repeat, delay and reorder messages. A message that arrives must be
/// complete.
///
/// By default no message is longer than 60,000 bytes, so that a transport with a limit of 65,536
/// bytes can carry all of them. In each direction, a transport is used by one task at a time. See
/// <doc:Syncing> for an example.
public protocol SyncTransport: Sendable {
  /// Sends a message.
  ///
  /// Returns when the transport can accept the next one.
  ///
  /// - Throws: An error if the transport is broken; the sync then ends with `unreachable`. Losing a
  ///   single message is not an error.
  func send(_ message: [UInt8]) async throws

  /// Waits for the next message or for the end of the transport.
  ///
  /// A transport that may lose messages returns ``SyncArrival/quiet`` if nothing arrived for some
  /// time, such as five seconds. A transport that loses none waits for a reasonable time and then
  /// throws.
  ///
  /// - Throws: As ``send(_:)``; `CancellationError` if the task is cancelled.
  func receive() async throws -> SyncArrival

  /// Ends the transport.
  ///
  /// The other side receives ``SyncArrival/closed`` after all messages sent before. Idempotent.
  func close() async
}

/// The result of waiting on a transport.
public enum SyncArrival: Hashable, Sendable {
  /// A complete message.
  case message([UInt8])
  /// No message arrived within the transport's waiting time.
  ///
  /// The initiator repeats unanswered messages.
  case quiet
  /// The peer ended the transport, or it broke.
  case closed
}
