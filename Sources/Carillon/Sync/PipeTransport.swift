public import CarillonModel
public import CarillonSync

/// A transport over two file descriptors: pipes to a program, a socket, standard input and output.
///
/// Each side first sends the line `carillon-sync 1`, then each message behind its length
/// (`protocol/SYNC.md`, section "Pipes"). What a login shell prints before the line is skipped.
/// One thread serves the transport until ``close()``. Writing to a reader that went away raises
/// no signal.
public final class PipeTransport: SyncTransport {
  private let loop: PipeLoop

  /// Takes over two descriptors, which are closed at the end; they may be the same one.
  ///
  /// - Parameters:
  ///   - reading: What the other side writes.
  ///   - writing: What the other side reads.
  ///   - maxMessageBytes: The most bytes of a message that comes; give both this and the sync the
  ///     same options.
  ///   - stall interval: How long ``receive()`` waits for the next byte, and ``send(_:)`` for one
  ///     to be read. The peer also counts as stalled when it moves fewer than 1,024 bytes in 10
  ///     times this, or no whole message in 60 times this.
  ///   - store: The store of this side, for an initiator that is to become a replica of it; nil: it
  ///     is not told.
  /// - Throws: `unreachable` where the process has no descriptors left.
  public init(
    reading: Int32, writing: Int32, maxMessageBytes: Int = SyncOptions.defaultMessageBytes,
    stallInterval: Duration = PipeTransport.defaultStallInterval, naming store: StoreID? = nil
  ) throws(SyncError) {
    loop = try PipeLoop(
      reading: reading, writing: writing, limit: maxMessageBytes, stallInterval: stallInterval,
      greeting: (store.map(FrameReader.naming) ?? []) + FrameReader.greeting)
    loop.start()
  }

  deinit {
    loop.close()
  }

  /// How long the other side may move no byte while something is expected of it: 30 seconds.
  public static let defaultStallInterval = Duration.seconds(30)

  /// Waits for the other side's first line, and gives the store that it named before; nil where it
  /// named none.
  ///
  /// `carillon sync --stdio` names its store. To be called before ``receive()``.
  ///
  /// - Throws: As ``receive()``, and `unreachable` for an end before the line.
  public func peerStore() async throws -> StoreID? {
    try await loop.greeting()
  }

  /// Writes a message, and returns when all of it is written.
  ///
  /// What a side that went away does not read is lost; its end is told by ``receive()``.
  ///
  /// - Throws: `unreachable`; `CancellationError`, which ends the transport.
  public func send(_ message: [UInt8]) async throws {
    try await loop.send(message)
  }

  /// Waits for the next message, or for the end of what is read.
  ///
  /// - Throws: `unreachable` after the stall interval and for an end in the midst of a message;
  ///   `malformed`, `unsupportedVersion` and `messageTooLarge` for bytes that are none of this
  ///   transport; `CancellationError`, which ends the transport.
  public func receive() async throws -> SyncArrival {
    try await loop.receive()
  }

  /// Closes both descriptors.
  public func close() async {
    loop.close()
  }
}
