internal import CarillonSync

/// What carries messages between the two sides of a sync.
///
/// A transport may lose, repeat, delay and reorder messages; each that arrives is whole.
///
/// By default no message is longer than 60,000 bytes, so that transports which take 65,536 can
/// carry all of them. A transport is used by one task at a time for each direction. <doc:Syncing>
/// shows one.
public protocol SyncTransport: Sendable {
  /// Puts a message on its way; returns when the transport can take the next one.
  ///
  /// - Throws: Where the transport is broken; the sync ends with `unreachable`. Of a message that
  ///   is only lost nothing need be said.
  func send(_ message: [UInt8]) async throws

  /// Waits for what comes next.
  ///
  /// A transport that may lose messages answers ``SyncArrival/quiet`` when nothing came for a time,
  /// such as five seconds; one that loses none waits as long as it is sensible, and then throws.
  ///
  /// - Throws: As ``send(_:)``, and `CancellationError` where the task is cancelled.
  func receive() async throws -> SyncArrival

  /// Ends the transport; the other side receives ``SyncArrival/closed`` after what was sent before.
  /// Idempotent.
  func close() async
}

/// What a transport brought.
public enum SyncArrival: Hashable, Sendable {
  /// A whole message.
  case message([UInt8])
  /// Nothing, for as long as this transport waits; the initiator sends again what was not answered.
  case quiet
  /// The other side ended the transport, or it broke.
  case closed
}
