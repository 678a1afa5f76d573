internal import CarillonModel

/// A visitor that writes the fields of one message as protobuf, by ascending number.
struct ProtobufWriter: FieldVisitor {
  /// The encoded fields in the order in which they were visited.
  private var encoded: [UInt8] = []
  /// The numbers of these fields, and where each starts.
  private var fields: [(number: Int, start: Int)] = []
  private var cleared: (list: Int, numbers: [UInt64]) = (0, [])

  /// Creates an empty message, with room for most messages.
  init() {
    encoded.reserveCapacity(64)
    fields.reserveCapacity(8)
  }

  var isReading: Bool { false }
  var hasColumns: Bool { true }

  /// The encoded message.
  ///
  /// Equal fields always encode to the same bytes.
  var bytes: [UInt8] {
    var whole = self
    if !cleared.numbers.isEmpty {
      whole.append(number: cleared.list, packed: cleared.numbers.sorted())
    }
    return whole.ordered
  }

  private var ordered: [UInt8] {
    let isAscending = zip(fields, fields.dropFirst()).allSatisfy { $0.number <= $1.number }
    guard !isAscending else { return encoded }
    let ends = fields.dropFirst().map(\.start) + [encoded.count]
    // The order of fields with the same number is kept by their starts.
    let sorted = zip(fields, ends).sorted { ($0.0.number, $0.0.start) < ($1.0.number, $1.0.start) }
    return sorted.flatMap { encoded[$0.0.start..<$0.1] }
  }

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    guard let content else { return }
    switch field.presence {
    case .standard(content), .named(content): return
    default: append(field, content)
    }
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    guard field.type != .fixed64 else { return appendFixed(field, list) }
    let numbers = list.compactMap { field.type.number($0) }
    guard numbers.isEmpty else { return append(number: field.number, packed: numbers) }
    for content in list { append(field, content) }
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    let value = Field(
      number: 2, name: field.name, type: field.type, presence: .implicit, limit: nil)
    let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (name, content) in sorted {
      var member = ProtobufWriter()
      if !name.isEmpty { member.append(number: 1, name.utf8) }
      if !content.isZero { member.append(value, content) }
      append(number: field.number, member.bytes)
    }
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    if let group { try append(field.number, group) }
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    for group in groups { try append(field.number, group) }
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    if let (number, bytes) = choice.unknownAlternative {
      return append(number: number, bytes)
    }
    var (copy, message) = (choice, ProtobufWriter())
    try copy.visitFields(&message)
    append(number: choice.alternative, message.bytes)
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {
    if isCleared { cleared = (list, cleared.numbers + [UInt64(number)]) }
  }

  func visits(_ name: String, _ numbers: ClosedRange<Int>, isSet: Bool) -> Bool { isSet }

  // MARK: - Bytes

  private mutating func append(_ number: Int, _ group: some FieldGroup) throws(ModelError) {
    var (copy, message) = (group, ProtobufWriter())
    try copy.visitFields(&message)
    append(number: number, message.bytes)
  }

  private mutating func append(_ field: Field, _ content: FieldContent) {
    if let number = field.type.number(content) {
      fields.append((field.number, encoded.count))
      encoded.append(varint: UInt64(field.number) << 3)
      return encoded.append(varint: number)
    }
    switch content {
    case .text(let text): append(number: field.number, text.utf8)
    case .bytes(let bytes): append(number: field.number, bytes)
    case .id(let high, let low):
      withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { append(number: field.number, $0) }
    case .eventID(let id): id.withUnsafeBytes { append(number: field.number, $0) }
    case .bool, .integer, .cleared: preconditionFailure("\(field.name) holds \(content)")
    }
  }

  /// Appends numbers of eight bytes, packed.
  private mutating func appendFixed(_ field: Field, _ list: [FieldContent]) {
    let bytes = list.flatMap { content -> [UInt8] in
      guard case .integer(let number) = content else { return [] }
      return withUnsafeBytes(of: number.littleEndian, Array.init)
    }
    append(number: field.number, bytes)
  }

  private mutating func append(number: Int, packed values: [UInt64]) {
    var content: [UInt8] = []
    for value in values { content.append(varint: value) }
    append(number: number, content)
  }

  private mutating func append(number: Int, _ content: some Collection<UInt8>) {
    fields.append((number, encoded.count))
    encoded.append(number: number, delimited: content)
  }

  /// Encodes a length-delimited field (wire type 2).
  static func delimited(_ number: Int, _ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count + 8)
    bytes.append(number: number, delimited: content)
    return bytes
  }
}

extension FieldType {
  /// Returns the number that protobuf writes as a varint; nil for content that is written as bytes.
  fileprivate func number(_ content: FieldContent) -> UInt64? {
    switch (self, content) {
    case (_, .bool(let value)): value ? 1 : 0
    case (.sint32, .integer(let value)), (.sint64, .integer(let value)),
      (.date, .integer(let value)):
      UInt64(bitPattern: value << 1 ^ value >> 63)
    case (_, .integer(let value)): UInt64(bitPattern: value)
    default: nil
    }
  }
}

extension FieldContent {
  /// Whether protobuf omits the value, because absence means the same.
  fileprivate var isZero: Bool {
    switch self {
    case .bool(let value): !value
    case .integer(let value): value == 0
    case .text(let text): text.isEmpty
    case .bytes(let bytes): bytes.isEmpty
    case .id, .eventID, .cleared: false
    }
  }
}

extension [UInt8] {
  /// Appends a length-delimited field (wire type 2).
  mutating func append(number: Int, delimited content: some Collection<UInt8>) {
    append(varint: UInt64(number) << 3 | 2)
    append(varint: UInt64(content.count))
    append(contentsOf: content)
  }

  /// Appends a number as protobuf writes it.
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}
