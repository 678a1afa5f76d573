package import CarillonModel

/// A reader of the fields of one protobuf message, in order and from untrusted bytes.
///
/// It allocates nothing. The fields point into the given bytes and are valid only as long as those
/// are.
package struct WireReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  /// The maximum nesting of groups, the same as in protobuf's own implementations.
  private static let maxGroupDepth = 100

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Whether every field was read.
  package var isAtEnd: Bool { offset == bytes.count }

  /// Returns the next field, or nil at the end.
  ///
  /// - Throws: `malformed` for a truncated field, a field number out of range, a varint of more
  ///   than 10 bytes, a group without an end, or groups nested too deeply.
  @inline(__always)
  mutating func next() throws(ModelError) -> WireField? {
    guard offset < bytes.count else { return nil }
    let start = offset
    let tag = try varint()
    let number = tag >> 3
    guard number >= 1, number <= WireField.maxNumber else { throw Self.badNumber(number) }
    var value: UInt64 = 0
    var content = UnsafeRawBufferPointer(start: nil, count: 0)
    let type: WireField.WireType
    switch tag & 7 {
    case 0:
      type = .varint
      value = try varint()
    case 1:
      type = .fixed64
      content = try take(8)
    case 2:
      type = .bytes
      content = try take(varint())
    case 3:
      type = .group
      try skipGroup(number, depth: 1)
    case 5:
      type = .fixed32
      content = try take(4)
    default:
      throw Self.badWireType(tag & 7)
    }
    return WireField(
      number: UInt32(truncatingIfNeeded: number), type: type, varint: value, bytes: content,
      whole: slice(from: start, to: offset))
  }

  /// Returns the next of several packed numbers, or nil at the end.
  package mutating func nextPacked() throws(ModelError) -> UInt64? {
    isAtEnd ? nil : try varint()
  }

  // MARK: - Parts

  @inline(__always)
  private mutating func varint() throws(ModelError) -> UInt64 {
    guard offset < bytes.count else { throw Self.cutOff() }
    let first = bytes[offset]
    offset += 1
    return first < 0x80 ? UInt64(first) : try longVarint(UInt64(first & 0x7F))
  }

  /// Reads the bytes of a varint after the first.
  ///
  /// Bits beyond the 64th are dropped, as in protobuf.
  private mutating func longVarint(_ first: UInt64) throws(ModelError) -> UInt64 {
    var value = first
    var shift: UInt64 = 7
    while shift < 70 {
      guard offset < bytes.count else { throw Self.cutOff() }
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .malformed("the payload contains a number of more than 10 bytes")
  }

  /// Skips a group after its start tag.
  private mutating func skipGroup(_ group: UInt64, depth: Int) throws(ModelError) {
    guard depth <= Self.maxGroupDepth else {
      throw .malformed("the payload contains groups nested more than \(Self.maxGroupDepth) deep")
    }
    while true {
      let tag = try varint()
      let number = tag >> 3
      guard number >= 1, number <= WireField.maxNumber else { throw Self.badNumber(number) }
      switch tag & 7 {
      case 0: _ = try varint()
      case 1: _ = try take(8)
      case 2: _ = try take(varint())
      case 3: try skipGroup(number, depth: depth + 1)
      case 4 where number == group: return
      case 5: _ = try take(4)
      default: throw Self.badWireType(tag & 7)
      }
    }
  }

  @inline(__always)
  private mutating func take(_ count: UInt64) throws(ModelError) -> UnsafeRawBufferPointer {
    guard count <= UInt64(bytes.count - offset) else { throw Self.cutOff() }
    let start = offset
    offset += Int(truncatingIfNeeded: count)
    return slice(from: start, to: offset)
  }

  @inline(__always)
  private func slice(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  @inline(never)
  private static func cutOff() -> ModelError {
    .malformed("the payload ends in the middle of a field")
  }

  @inline(never)
  private static func badNumber(_ number: UInt64) -> ModelError {
    .malformed("the payload contains field number \(number); 1 to \(WireField.maxNumber) are valid")
  }

  @inline(never)
  private static func badWireType(_ type: UInt64) -> ModelError {
    .malformed("the payload contains an unexpected wire type \(type)")
  }
}
