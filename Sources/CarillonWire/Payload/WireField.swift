internal import CarillonModel

/// One field of a protobuf message, as it lies in memory.
struct WireField {
  /// How a field's content is written.
  ///
  /// Groups (3 and 4) are refused.
  enum WireType {
    case varint, fixed64, bytes, fixed32
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

  /// `bytes` that are an identifier.
  func identifier<Subject>(_ name: StaticString) throws(ModelError) -> Identifier<Subject> {
    guard bytes.count == Identifier<Subject>.byteCount else {
      throw wrongCount(name, Identifier<Subject>.byteCount)
    }
    return Identifier(loading: bytes)
  }

  /// `bytes` that are an event ID.
  func eventID(_ name: StaticString) throws(ModelError) -> EventID {
    guard bytes.count == EventID.byteCount else { throw wrongCount(name, EventID.byteCount) }
    return EventID(loading: bytes)
  }

  /// A `string`.
  func text(_ name: StaticString) throws(ModelError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("\(name): is not UTF-8")
    }
    return text
  }

  /// An enumeration.
  func named<Name: WireNumbered>(_ name: StaticString) throws(ModelError) -> Name {
    let number = enumerationNumber
    guard let value = Name(wireNumber: number) else {
      throw .malformed("\(name): number \(number) has no meaning to this version")
    }
    return value
  }

  /// A `repeated uint32`: one number, or several that are packed into `bytes`.
  func numbers(appendingTo numbers: inout [UInt32]) throws(ModelError) {
    if type == .varint { return numbers.append(uint32) }
    var reader = WireReader(bytes)
    while let number = try reader.nextPacked() {
      numbers.append(UInt32(truncatingIfNeeded: number))
    }
  }

  @inline(never)
  private func wrongCount(_ name: StaticString, _ wanted: Int) -> ModelError {
    .malformed("\(name): has \(bytes.count) bytes instead of \(wanted)")
  }
}

extension Optional {
  /// The value of a field that every writer writes.
  @inline(__always)
  func required(_ name: StaticString) throws(ModelError) -> Wrapped {
    guard let self else { throw Self.missing(name) }
    return self
  }

  @inline(never)
  private static func missing(_ name: StaticString) -> ModelError {
    .malformed("\(name): is missing")
  }
}
