internal import Crypto

/// The SHA-256 of the merged state, as `protocol/EVENTS.md` defines it.
///
/// Replicas that hold the same events have the same digest.
package struct StateDigest: Hashable, Sendable, TextCodable {
  /// The 32 bytes, in order.
  package let bytes: [UInt8]

  /// The version of the digest's format.
  ///
  /// Digests of different versions are not comparable.
  package static let version: UInt32 = 3

  /// Creates a digest from exactly 32 bytes, or returns nil for any other number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Parses 64 hexadecimal digits in either case, or returns nil for any other text.
  package init?(_ text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// 64 lower-case hexadecimal digits.
  package var description: String { bytes.hexadecimal }

  fileprivate init(_ digest: SHA256Digest) {
    bytes = [UInt8](digest)
  }
}

/// Hashes values in the order in which they are passed.
///
/// Each value is prefixed with its type and length, so that different values never produce the same
/// bytes.
package struct StateHasher {
  private var hash = SHA256()
  private var buffer: [UInt8] = []
  private static let flushCount = 32_768

  /// Starts with the version of the format, which rises with every kind, field or rule that changes
  /// the digest.
  package init() {
    buffer.reserveCapacity(Self.flushCount + 4_096)
    buffer.append(contentsOf: Array("carillon.state.v\(StateDigest.version)".utf8))
  }

  /// Begins a table: the byte 0x54, then its name as a text.
  package mutating func table(_ name: String) {
    buffer.append(0x54)
    bytes(tag: 0x03, Array(name.utf8).span.bytes)
  }

  /// Begins a row: the byte 0x52.
  package mutating func row() {
    flush()
    buffer.append(0x52)
  }

  /// Adds a missing value: the byte 0x00.
  package mutating func null() {
    buffer.append(0x00)
  }

  /// Adds an integer: the byte 0x01, then 8 bytes big-endian.
  package mutating func integer(_ value: Int64) {
    buffer.append(0x01)
    withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
  }

  /// Adds bytes: the byte 0x02, the number of bytes in 4 bytes big-endian, the bytes.
  package mutating func blob(_ value: RawSpan) {
    bytes(tag: 0x02, value)
  }

  /// Adds UTF-8 text: the byte 0x03, the number of bytes in 4 bytes big-endian, the bytes.
  package mutating func text(_ value: RawSpan) {
    bytes(tag: 0x03, value)
  }

  /// Returns the digest of all added values.
  package consuming func finalize() -> StateDigest {
    hash.update(data: buffer)
    return StateDigest(hash.finalize())
  }

  private mutating func bytes(tag: UInt8, _ value: RawSpan) {
    buffer.append(tag)
    withUnsafeBytes(of: UInt32(clamping: value.byteCount).bigEndian) {
      buffer.append(contentsOf: $0)
    }
    value.withUnsafeBytes { buffer.append(contentsOf: $0) }
  }

  private mutating func flush() {
    guard buffer.count >= Self.flushCount else { return }
    hash.update(data: buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
