public import CarillonModel
internal import CarillonSync

/// A transport over two file descriptors: pipes to a program, a socket, or standard input and
/// output.
///
/// Each side first sends the line `carillon-sync 1`, then each message preceded by its length
/// (`protocol/SYNC.md`, section "Pipes"). Output of a login shell before that line is skipped. One
/// thread serves the transport until ``close()``. Writing to a pipe that no process reads raises no
/// signal.
public final class PipeTransport: SyncTransport {
  private let loop: PipeLoop

  /// Takes ownership of two descriptors, which are closed at the end.
  ///
  /// They may be the same descriptor.
  ///
  /// - Parameters:
  ///   - reading: The descriptor to which the peer writes.
  ///   - writing: The descriptor from which the peer reads.
  ///   - maxMessageBytes: The maximum size of a received message; use the same options for this and
  ///     for the sync.
  ///   - stallInterval: How long ``receive()`` waits for the next byte, and ``send(_:)`` for a byte
  ///     to be read. A peer also counts as stalled if it moves fewer than 1,024 bytes in 10
  ///     intervals, or no whole message in 60 intervals.
  ///   - store: This side's store, for an initiator that will become a replica of it; nil to send
  ///     no store.
  /// - Throws: `unreachable` if the process has no descriptors left.
  public convenience init(
    reading: Int32, writing: Int32, maxMessageBytes: Int = 60_000,
    stallInterval: Duration = PipeTransport.defaultStallInterval, naming store: StoreID? = nil
  ) throws(StoreError) {
    try self.init(
      reading, writing, maxMessageBytes, stallInterval,
      greeting: (store.map(FrameReader.naming) ?? []) + FrameReader.greeting, onNews: nil)
  }

  /// Creates the transport of an initiator that asks the peer to report when its log grows.
  ///
  /// - Parameter onNews: Called when ``newsCount`` has grown, and at the end of the transport.
  package convenience init(
    reading: Int32, writing: Int32, stallInterval: Duration,
    onNews: @escaping @Sendable () -> Void
  ) throws(StoreError) {
    try self.init(
      reading, writing, 60_000, stallInterval,
      greeting: FrameReader.newsRequest + FrameReader.greeting, onNews: onNews)
  }

  private init(
    _ reading: Int32, _ writing: Int32, _ maxMessageBytes: Int, _ stallInterval: Duration,
    greeting: [UInt8], onNews: (@Sendable () -> Void)?
  ) throws(StoreError) {
    loop = try StoreError.translating {
      try PipeLoop(
        reading: reading, writing: writing, limit: maxMessageBytes, stallInterval: stallInterval,
        greeting: greeting, onNews: onNews)
    }
    loop.start()
  }

  deinit {
    loop.close()
  }

  /// The default stall interval: 30 seconds.
  public static let defaultStallInterval = Duration.seconds(30)

  /// Waits for the peer's greeting, and returns the store that it named; nil if it named none.
  ///
  /// Call this before ``receive()``.
  ///
  /// - Throws: The errors of ``receive()``, and `unreachable` if the transport ends before the
  ///   greeting.
  package func peerStore() async throws -> StoreID? {
    try await loop.greeting().store
  }

  /// Waits for the peer's greeting, and returns whether the peer asks for news.
  ///
  /// Call this before ``receive()``.
  ///
  /// - Throws: As ``peerStore()``.
  package func isAskedForNews() async throws -> Bool {
    try await loop.greeting().asksForNews
  }

  /// Reports to the peer that the log of this side has grown.
  ///
  /// The peer must have asked for it.
  ///
  /// - Throws: As ``send(_:)``.
  package func reportNews() async throws {
    try await loop.send([])
  }

  /// The number of times that the peer reported news, plus one after the end of the transport.
  package var newsCount: Int { loop.newsCount }

  /// Writes a message, and returns when all of it is written.
  ///
  /// A message that the peer no longer reads is lost; ``receive()`` reports the end.
  ///
  /// - Throws: `unreachable`; `CancellationError`, which ends the transport.
  public func send(_ message: [UInt8]) async throws {
    try await loop.send(message)
  }

  /// Waits for the next message, or for the end of the transport.
  ///
  /// - Throws: `unreachable` after the stall interval, and if the transport ends in the middle of a
  ///   message; `malformed`, `unsupportedVersion` and `messageTooLarge` for bytes that do not
  ///   follow the protocol; `CancellationError`, which ends the transport.
  public func receive() async throws -> SyncArrival {
    try await loop.receive()
  }

  /// Closes both descriptors.
  public func close() async {
    loop.close()
  }
}
