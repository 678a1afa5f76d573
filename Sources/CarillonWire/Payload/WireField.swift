internal import CarillonModel

/// One field of a protobuf message, as a view into its bytes.
struct WireField {
  /// The protobuf wire type of a field.
  enum WireType {
    case varint, fixed64, bytes, fixed32
    /// An obsolete kind of field that is not used here; it is skipped with its contents.
    case group
  }

  /// The field number, from 1 to 2^29 - 1.
  let number: UInt32
  let type: WireType
  /// The number of a varint; 0 for other wire types.
  let varint: UInt64
  /// The content of any other wire type, without its length.
  let bytes: UnsafeRawBufferPointer
  /// The whole field, including its tag.
  let whole: UnsafeRawBufferPointer

  /// The maximum field number of protobuf.
  static let maxNumber: UInt64 = (1 << 29) - 1
}

/// The content of a field as a value of a given type.
///
/// Numbers that are too wide lose their upper bits, as in every protobuf implementation.
extension WireField {
  /// The content as a `bool`.
  var bool: Bool { varint != 0 }

  /// The content as a `uint32`.
  var uint32: UInt32 { UInt32(truncatingIfNeeded: varint) }

  /// The content as a `uint32` that the model holds as an `Int`.
  var integer: Int { Int(uint32) }

  /// The content as an `int64`.
  var int64: Int64 { Int64(bitPattern: varint) }

  /// The content as a `sint64`.
  var sint64: Int64 { Int64(bitPattern: varint >> 1) ^ -Int64(bitPattern: varint & 1) }

  /// The content as a `sint32` that the model holds as an `Int`.
  var sint32: Int { Int(date.rawValue) }

  /// The content as a `sint32` that is a day number.
  var date: CivilDate {
    CivilDate(rawValue: Int32(bitPattern: uint32 >> 1) ^ -Int32(bitPattern: uint32 & 1))
  }

  /// The content as an enumeration number.
  var enumerationNumber: Int { Int(Int32(truncatingIfNeeded: varint)) }

  /// Returns the content as a `string`.
  func text(_ name: String) throws(ModelError) -> String {
    // Validating calls a generic function of the standard library. Most texts are short and ASCII.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("\(name): is not UTF-8")
    }
    return text
  }

  /// Calls `body` with the numbers of a `repeated` field: one number, or several that are packed
  /// into `bytes`.
  ///
  /// - Parameter type: The wire type of one number: varint or fixed64.
  func visitNumbers(_ type: WireType, _ body: (UInt64) -> Void) throws(ModelError) {
    if self.type == .varint { return body(varint) }
    guard type == .fixed64 else {
      var reader = WireReader(bytes)
      while let number = try reader.nextPacked() { body(number) }
      return
    }
    guard bytes.count.isMultiple(of: 8) else {
      throw .malformed("\(bytes.count) bytes are not a list of 8-byte numbers")
    }
    for offset in stride(from: 0, to: bytes.count, by: 8) {
      body(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
  }
}
