internal import CarillonModel

/// One field of a protobuf message, as it lies in memory.
struct WireField {
  /// How a field's content is written.
  ///
  enum WireType {
    case varint, fixed64, bytes, fixed32
    /// Of no field of ours; skipped whole, with what it holds.
    case group
  }

  /// 1...2^29 - 1.
  let number: UInt32
  let type: WireType
  /// The number that a varint holds; 0 for other wire types.
  let varint: UInt64
  /// The content of any other wire type, without its length.
  let bytes: UnsafeRawBufferPointer
  /// The field with its tag.
  let whole: UnsafeRawBufferPointer

  /// The greatest field number that protobuf has.
  static let maxNumber: UInt64 = (1 << 29) - 1
}

/// The content of a field as a value of some type. Numbers that are too wide lose their upper bits,
/// as in every protobuf implementation.
extension WireField {
  /// A `bool`.
  var bool: Bool { varint != 0 }

  /// A `uint32`.
  var uint32: UInt32 { UInt32(truncatingIfNeeded: varint) }

  /// A `uint32` that the model holds as an `Int`.
  var integer: Int { Int(uint32) }

  /// An `int64`.
  var int64: Int64 { Int64(bitPattern: varint) }

  /// A `sint64`.
  var sint64: Int64 { Int64(bitPattern: varint >> 1) ^ -Int64(bitPattern: varint & 1) }

  /// A `sint32` that the model holds as an `Int`.
  var sint32: Int { Int(date.rawValue) }

  /// A `sint32` that is a day number.
  var date: CivilDate {
    CivilDate(rawValue: Int32(bitPattern: uint32 >> 1) ^ -Int32(bitPattern: uint32 & 1))
  }

  /// The number of an enumeration.
  var enumerationNumber: Int { Int(Int32(truncatingIfNeeded: varint)) }

  /// A `string`.
  func text(_ name: String) throws(ModelError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("\(name): is not UTF-8")
    }
    return text
  }

  /// A `repeated` number: one, or several that are packed into `bytes`.
  ///
  /// - Parameter type: How one number is written: varint or fixed64.
  func numbers(
    _ type: WireType, appendingTo numbers: inout [UInt64]
  ) throws(ModelError) {
    if self.type == .varint { return numbers.append(varint) }
    guard type == .fixed64 else {
      var reader = WireReader(bytes)
      while let number = try reader.nextPacked() { numbers.append(number) }
      return
    }
    guard bytes.count.isMultiple(of: 8) else {
      throw .malformed("\(bytes.count) bytes are no list of numbers of 8")
    }
    for offset in stride(from: 0, to: bytes.count, by: 8) {
      numbers.append(
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
  }
}
