internal import CarillonModel

/// The fields of a protobuf message by number.
///
/// It records which fields were requested.
struct MessageFields {
  private let bytes: UnsafeRawBufferPointer
  /// The field numbers below 64 that the message has, as bits.
  private let present: UInt64
  /// The field numbers that were requested, as bits by wire type.
  private var asked: (varints: UInt64, fixed: UInt64, bytes: UInt64) = (0, 0, 0)

  /// - Throws: `malformed` for bytes that are not a protobuf message.
  init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
    self.bytes = bytes
    var reader = WireReader(bytes)
    var present: UInt64 = 0
    while let field = try reader.next() {
      if field.number < 64 { present |= 1 << UInt64(field.number) }
    }
    self.present = present
  }

  /// Whether the message has a field with a number below 64.
  func has(_ number: Int) -> Bool { present >> UInt64(number) & 1 == 1 }

  /// All fields in order.
  ///
  /// The initializer has checked that they can be read.
  var all: some Sequence<WireField> {
    sequence(state: WireReader(bytes)) { reader in
      do throws(ModelError) {
        return try reader.next()
      } catch {
        preconditionFailure("bytes that were checked cannot be read: \(error)")
      }
    }
  }

  /// The fields that were not requested, in order.
  var unknownFields: [WireField] { all.filter { !isAsked($0) } }

  /// Returns the fields with a number and the right wire type.
  mutating func all(_ number: Int, _ type: WireField.WireType) -> [WireField] {
    ask(number, type)
    guard has(number) else { return [] }
    return all.filter { $0.number == UInt32(number) && $0.type == type }
  }

  /// Returns the last field with a number, which is the one that counts.
  ///
  /// - Throws: `malformed` if any of them is a text that is not UTF-8.
  mutating func last(_ field: Field) throws(ModelError) -> WireField? {
    ask(field.number, field.type.wireType)
    guard has(field.number) else { return nil }
    var last: WireField?
    for found in all
    where found.number == UInt32(field.number) && found.type == field.type.wireType {
      if field.type == .text { _ = try found.text(field.name) }
      last = found
    }
    return last
  }

  /// Returns a list of numbers, packed or one by one.
  mutating func numbers(
    _ number: Int, _ type: WireField.WireType
  ) throws(ModelError) -> [UInt64] {
    ask(number, type)
    ask(number, .bytes)
    guard has(number) else { return [] }
    var numbers: [UInt64] = []
    for found in all
    where found.number == UInt32(number) && (found.type == type || found.type == .bytes) {
      try found.numbers(type, appendingTo: &numbers)
    }
    return numbers
  }

  /// Returns which of the requested fields comes last.
  func last(of numbers: [Int]) -> Int? {
    var last: Int?
    for found in all where isAsked(found) && numbers.contains(Int(found.number)) {
      last = Int(found.number)
    }
    return last
  }

  private mutating func ask(_ number: Int, _ type: WireField.WireType) {
    precondition(number < 64)
    switch type {
    case .varint: asked.varints |= 1 << number
    case .fixed64: asked.fixed |= 1 << number
    case .bytes: asked.bytes |= 1 << number
    case .fixed32, .group: break
    }
  }

  private func isAsked(_ field: WireField) -> Bool {
    guard field.number < 64 else { return false }
    let numbers =
      switch field.type {
      case .varint: asked.varints
      case .fixed64: asked.fixed
      case .bytes: asked.bytes
      case .fixed32, .group: UInt64(0)
      }
    return numbers >> UInt64(field.number) & 1 == 1
  }
}

extension FieldType {
  /// The wire type of such a value in protobuf.
  var wireType: WireField.WireType {
    switch self {
    case .bool, .uint32, .sint32, .int64, .sint64, .date, .time, .instant, .name, .flags, .weekdays:
      .varint
    case .fixed64: .fixed64
    case .text, .bytes, .id, .eventID, .message: .bytes
    }
  }
}

extension Field {
  /// The name in an entry of a map field.
  static func memberName(of field: Field) -> Field {
    Field(number: 1, name: field.name, type: .text, presence: .optional)
  }

  /// The value in an entry of a map field.
  static func memberValue(of field: Field) -> Field {
    Field(number: 2, name: field.name, type: field.type, presence: .optional)
  }
}
