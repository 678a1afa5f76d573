/// The SHA-256 of the merged state, as `protocol/EVENTS.md` defines it.
///
/// Replicas that hold the same events have the same digest.
package struct StateDigest: Hashable, Sendable, TextCodable {
  /// The 32 bytes, in order.
  package let bytes: [UInt8]

  /// The version of the digest's format.
  ///
  /// Digests of different versions are not comparable.
  package static let version: UInt32 = 9

  /// Creates a digest from exactly 32 bytes, or returns nil for any other number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == MemoryLayout<SHA2.Digest>.size else { return nil }
    self.bytes = bytes
  }

  /// Parses 64 hexadecimal digits in either case, or returns nil for any other text.
  package init?(_ text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// 64 lower-case hexadecimal digits.
  package var description: String { bytes.hexadecimal }

  fileprivate init(_ digest: [UInt8]) {
    bytes = digest
  }
}

/// Hashes values in the order in which they are passed.
///
/// Each value is prefixed with its type and length, so that different values never produce the same
/// bytes.
package struct StateHasher {
  private var hash = ContentDigest()
  /// Values that are not hashed yet, in the first ``count`` bytes.
  private var buffer = [UInt8](repeating: 0, count: 32_768)
  private var count = 0

  /// Starts with the version of the format, which rises with every kind, field or rule that changes
  /// the digest.
  package init() {
    append(Array("carillon.state.v\(StateDigest.version)".utf8).span.bytes)
  }

  /// Begins a table: the byte 0x54, then its name as a text.
  package mutating func table(_ name: String) {
    append(0x54)
    bytes(tag: 0x03, Array(name.utf8).span.bytes)
  }

  /// Begins a row: the byte 0x52.
  package mutating func row() {
    append(0x52)
  }

  /// Adds a missing value: the byte 0x00.
  package mutating func null() {
    append(0x00)
  }

  /// Adds an integer: the byte 0x01, then 8 bytes big-endian.
  package mutating func integer(_ value: Int64) {
    append(tag: 0x01, value.bigEndian)
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
    flush()
    return StateDigest(hash.finalize())
  }

  private mutating func bytes(tag: UInt8, _ value: RawSpan) {
    append(tag: tag, UInt32(clamping: value.byteCount).bigEndian)
    append(value)
  }

  // MARK: - The buffer

  private mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    buffer[count] = byte
    count += 1
  }

  private mutating func append<Number: FixedWidthInteger>(tag: UInt8, _ number: Number) {
    let size = MemoryLayout<Number>.size
    makeRoom(for: 1 + size)
    buffer.withUnsafeMutableBytes { [count] buffer in
      buffer[count] = tag
      buffer.storeBytes(of: number, toByteOffset: count + 1, as: Number.self)
    }
    count += 1 + size
  }

  private mutating func append(_ value: RawSpan) {
    makeRoom(for: value.byteCount)
    value.withUnsafeBytes { bytes in
      guard bytes.count <= buffer.count else { return hash.update(bytes) }
      buffer.withUnsafeMutableBytes { [count] buffer in
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
      }
      count += bytes.count
    }
  }

  /// Hashes the buffered values if the next bytes do not fit.
  private mutating func makeRoom(for byteCount: Int) {
    if byteCount > buffer.count - count { flush() }
  }

  private mutating func flush() {
    buffer.withUnsafeBytes { [count] buffer in
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    count = 0
  }
}
