/// The 32 bytes that identify an event, commit to its content and history, and fix its order.
///
/// The ID is a timestamp of 8 bytes, big-endian, and the first 24 bytes of a SHA-256 that commits
/// to the sequence, the timestamp, the previous event's ID and the payload's digest (see
/// ``EventChain``). IDs are ordered bytewise; that order is the total order of all events and
/// breaks every tie.
public struct EventID: Hashable, Sendable {
  package typealias Words = (UInt64, UInt64, UInt64, UInt64)

  /// The ID as four words of 8 bytes, in the machine's byte order.
  package let words: Words

  /// The number of bytes of an event ID.
  package static var byteCount: Int { 32 }

  package init(words: Words) {
    self.words = words
  }

  /// Creates an ID from exactly 32 bytes; returns nil for any other count.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self = bytes.withUnsafeBytes { Self(loading: $0) }
  }

  /// Reads 32 bytes from a buffer, which need not be aligned.
  package init(loading bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.byteCount)
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    words = (word(0), word(1), word(2), word(3))
  }

  /// The time at which the event was written, by its replica's hybrid logical clock.
  package var timestamp: Timestamp { Timestamp(rawValue: words.0) }

  /// The 32 bytes, in order.
  package var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// The ID suffix: the last 8 bytes as a number, by which sync recognizes an ID.
  package var suffix: UInt64 { words.3 }

  /// The words in big-endian byte order, so that their bytes in memory are those of the ID.
  package var bigEndianWords: Words {
    (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
  }

  /// Calls `body` with the 32 bytes, without allocating.
  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try Swift.withUnsafeBytes(of: bigEndianWords, body)
  }

  /// Whether all 32 bytes are equal.
  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// Hashes all 32 bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

extension EventID: Comparable {
  /// Compares byte by byte.
  public static func < (left: Self, right: Self) -> Bool { left.words < right.words }
}

extension EventID: TextCodable {
  /// Parses 64 hexadecimal digits, in either case.
  public init?(_ text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The ID as 64 lower-case hexadecimal digits.
  public var description: String { withUnsafeBytes { $0.hexadecimal } }
}

extension EventID {
  /// The timestamp's milliseconds as an instant.
  package var instant: Instant { Instant(milliseconds: timestamp.milliseconds) }
}
