internal import CarillonModel

/// The fields of a protobuf message by number.
///
/// It records which fields were requested.
struct MessageFields {
  private let bytes: UnsafeRawBufferPointer
  /// The fields that the message has.
  private let present: FieldBits
  /// The field numbers below 64 that the message has more than once, as bits.
  private let repeated: UInt64
  /// Whether the message has fields of higher numbers or other wire types, which no kind has.
  private let hasOthers: Bool
  /// The fields that were requested.
  private var asked = FieldBits()
  /// Where the next requested field is if fields are requested in their order.
  private var next: WireReader

  /// - Throws: `malformed` for bytes that are not a protobuf message.
  init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
    self.bytes = bytes
    next = WireReader(bytes)
    var (present, repeated, hasOthers) = (FieldBits(), UInt64(0), false)
    var reader = next
    while let field = try reader.next() {
      guard field.number < 64, field.type != .fixed32, field.type != .group else {
        hasOthers = true
        continue
      }
      let number = Int(field.number)
      repeated |= present.all & 1 << UInt64(number)
      present.insert(number, field.type)
    }
    (self.present, self.repeated, self.hasOthers) = (present, repeated, hasOthers)
  }

  /// Whether the message has a field with a number below 64.
  func has(_ number: Int) -> Bool { present.all >> UInt64(number) & 1 == 1 }

  /// The field numbers below 64 of length-delimited fields, as bits.
  var numbersOfBytes: UInt64 { present.bytes }

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

  /// Whether there are fields that were not requested.
  var hasUnknownFields: Bool { hasOthers || !present.isSubset(of: asked) }

  /// Returns the fields with a number and the right wire type.
  mutating func all(_ number: Int, _ type: WireField.WireType) -> [WireField] {
    asked.insert(number, type)
    guard has(number) else { return [] }
    return all.filter { $0.number == UInt32(number) && $0.type == type }
  }

  /// Returns the only field with a number and a wire type; nil if there is none, or more than one
  /// with the number.
  mutating func only(
    _ number: Int, _ type: WireField.WireType
  ) throws(ModelError) -> WireField? {
    guard present.has(number, type), repeated >> UInt64(number) & 1 == 0 else { return nil }
    asked.insert(number, type)
    return try find(number, type)
  }

  /// Returns the field with a number and a wire type that the message has once.
  private mutating func find(
    _ number: Int, _ type: WireField.WireType
  ) throws(ModelError) -> WireField {
    while true {
      while let field = try next.next() {
        if field.number == UInt32(number), field.type == type { return field }
      }
      next = WireReader(bytes)
    }
  }

  /// Returns the last field with a number, which is the one that counts.
  ///
  /// - Throws: `malformed` if any of them is a text that is not UTF-8.
  mutating func last(_ field: Field) throws(ModelError) -> WireField? {
    let type = field.type.wireType
    asked.insert(field.number, type)
    guard present.has(field.number, type) else { return nil }
    if repeated >> UInt64(field.number) & 1 == 0 { return try find(field.number, type) }
    var last: WireField?
    for found in all where found.number == UInt32(field.number) && found.type == type {
      if field.type == .text { _ = try found.text(field.name) }
      last = found
    }
    return last
  }

  /// Calls `body` with each of a list of numbers, packed or one by one.
  mutating func visitNumbers(
    _ number: Int, _ type: WireField.WireType, _ body: (UInt64) -> Void
  ) throws(ModelError) {
    asked.insert(number, type)
    asked.insert(number, .bytes)
    guard has(number) else { return }
    if let only = try only(number, .bytes) { return try only.visitNumbers(type, body) }
    for found in all
    where found.number == UInt32(number) && (found.type == type || found.type == .bytes) {
      try found.visitNumbers(type, body)
    }
  }

  /// Returns which of the requested fields comes last.
  func last(of numbers: [Int]) -> Int? {
    var last: Int?
    for found in all where asked.contains(found) && numbers.contains(Int(found.number)) {
      last = Int(found.number)
    }
    return last
  }
}

/// Field numbers below 64 by wire type, as bits.
private struct FieldBits {
  private var varints: UInt64 = 0
  private var fixed: UInt64 = 0
  private(set) var bytes: UInt64 = 0

  /// The numbers of all wire types.
  var all: UInt64 { varints | fixed | bytes }

  mutating func insert(_ number: Int, _ type: WireField.WireType) {
    precondition(number < 64)
    switch type {
    case .varint: varints |= 1 << number
    case .fixed64: fixed |= 1 << number
    case .bytes: bytes |= 1 << number
    case .fixed32, .group: break
    }
  }

  func has(_ number: Int, _ type: WireField.WireType) -> Bool {
    let numbers =
      switch type {
      case .varint: varints
      case .fixed64: fixed
      case .bytes: bytes
      case .fixed32, .group: UInt64(0)
      }
    return numbers >> UInt64(number) & 1 == 1
  }

  func contains(_ field: WireField) -> Bool {
    field.number < 64 && has(Int(field.number), field.type)
  }

  func isSubset(of other: FieldBits) -> Bool {
    (varints & ~other.varints) | (fixed & ~other.fixed) | (bytes & ~other.bytes) == 0
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
