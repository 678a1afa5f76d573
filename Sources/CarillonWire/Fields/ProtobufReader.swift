internal import CarillonModel

/// A visitor that reads the fields of one protobuf message from untrusted bytes.
///
/// It reads like any protobuf library: it skips unknown fields and known fields of another wire
/// type, uses the last of several values, and merges repeated messages. So it decodes the same
/// payload as generated code in any language.
struct ProtobufReader: FieldVisitor {
  private var message: MessageFields
  /// Whether each value that was read is known to be within its limit.
  ///
  /// If not, the payload's own check decides, and reports the first field beyond its limit.
  private(set) var isWithinLimits = true
  /// Whether a value was read that is unknown to this build.
  private(set) var hasUnknownValue = false
  /// Whether a group has a field that is unknown to this build.
  private var hasUnknownField = false

  var isReading: Bool { true }
  var hasColumns: Bool { true }

  /// - Throws: `malformed` for bytes that are not a protobuf message.
  init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
    message = try MessageFields(bytes)
  }

  /// Reads a message by the description of its fields, and checks its limits.
  ///
  /// - Throws: `malformed`; `invalidValue` naming the field and the limit.
  static func described<Message: FieldGroup>(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> Message {
    var (message, reader) = (Message.blank, try Self(bytes))
    try message.visitFields(&reader)
    try message.validate()
    return message
  }

  func mayHave(_ number: Int) -> Bool { message.has(number) }

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    guard let found = try message.last(field), let read = try field.content(of: found) else {
      if case .required = field.presence { isWithinLimits = false }
      return content = nil
    }
    note(read, of: field)
    content = read
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    list = []
    list.reserveCapacity(4)
    if field.type.wireType == .bytes {
      for found in message.all(field.number, .bytes) {
        guard let content = try field.content(of: found) else {
          throw field.invalid("an element has no bytes")
        }
        list.append(content)
      }
    } else {
      let isWide = field.type == .fixed64
      try message.visitNumbers(field.number, field.type.wireType) { number in
        list.append(
          .integer(isWide ? Int64(bitPattern: number) : Int64(UInt32(truncatingIfNeeded: number))))
      }
      // It is a column of a list of groups, and the limits are those of the groups.
      if isWide { isWithinLimits = false }
    }
    if !count.contains(list.count) { isWithinLimits = false }
    for content in list { note(content, of: field) }
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    members = [:]
    for found in message.all(field.number, .bytes) {
      var member = try ProtobufReader(found.bytes)
      var (name, content): (FieldContent?, FieldContent?)
      try member.visit(.memberName(of: field), &name)
      try member.visit(.memberValue(of: field), &content)
      guard case .text(let text) = name ?? .text("") else { continue }
      let value = content ?? (field.type == .text ? .text("") : .integer(0))
      note(value, of: field)
      members[text] = value
    }
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    if let only = try message.only(field.number, .bytes) { return group = try read(only.bytes) }
    let found = message.all(field.number, .bytes)
    group = nil
    guard !found.isEmpty else { return }
    for part in found { _ = try MessageFields(part.bytes) }
    group = try found.flatMap { $0.bytes }.withUnsafeBufferPointer { bytes throws(ModelError) in
      try read(UnsafeRawBufferPointer(bytes))
    }
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    groups = []
    for part in message.all(field.number, .bytes) { groups.append(try read(part.bytes)) }
    if !count.contains(groups.count) { isWithinLimits = false }
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    if readOnly(&choice) { return }
    isWithinLimits = false
    var known: (number: Int, bytes: [UInt8])?
    var later: (number: Int, bytes: [UInt8])?
    let numbers = Choice.alternatives.map { $0.number }
    for number in numbers + Choice.laterNumbers { _ = message.all(number, .bytes) }
    for found in message.all where found.type == .bytes {
      let number = Int(found.number)
      if numbers.contains(number) {
        // A repeated alternative is merged, another one replaces it, and each must be a message.
        _ = try MessageFields(found.bytes)
        if let known, known.number != number { _ = try Self.hasUnknown(known, of: Choice.self) }
        known = (number, (known?.number == number ? known?.bytes ?? [] : []) + found.bytes)
      } else if Choice.laterNumbers.contains(number) {
        later = (number, (later?.number == number ? later?.bytes ?? [] : []) + found.bytes)
      }
    }
    if let later, let unknown = Choice.unknown(number: later.number, bytes: later.bytes) {
      if let known { _ = try Self.hasUnknown(known, of: Choice.self) }
      choice = unknown
      return hasUnknownValue = true
    }
    guard let known else { throw .invalid(name, "is missing") }
    choice = try read(known)
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {
    isCleared = false
    try message.visitNumbers(list, .varint) { cleared in
      if UInt32(truncatingIfNeeded: cleared) == UInt32(number) { isCleared = true }
    }
    if isCleared, message.has(number) {
      throw .invalid(name, "is both set and cleared")
    }
  }

  func visits(_ name: String, _ numbers: ClosedRange<Int>, isSet: Bool) -> Bool {
    // Several numbers are alternatives, which are messages.
    if let number = numbers.first, numbers.count == 1 { return message.has(number) }
    return numbers.contains { message.numbersOfBytes >> UInt64($0) & 1 == 1 }
  }

  func last(of numbers: [Int]) -> Int? { message.last(of: numbers) }

  mutating func visit(ignored field: Field) throws(ModelError) {
    if let found = try message.last(field), field.type == .text {
      _ = try found.text(field.name)
    }
  }

  mutating func noteUnknown() {
    hasUnknownValue = true
  }

  // MARK: - Parts

  private mutating func read<Group: FieldGroup>(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> Group {
    var (group, message) = (Group.blank, try ProtobufReader(bytes))
    defer { hasUnknownValue = hasUnknownValue || message.hasUnknownValue }
    try group.visitFields(&message)
    hasUnknownField = hasUnknownField || message.isOfLaterVersion
    isWithinLimits =
      isWithinLimits && message.isWithinLimits && (try? group.checkRelations()) != nil
    return group
  }

  /// Notes whether a value is within the limit of its field.
  private mutating func note(_ content: FieldContent, of field: Field) {
    if isWithinLimits, (try? field.check(content)) == nil { isWithinLimits = false }
  }

  /// Whether anything was read that is unknown to this build.
  private var isOfLaterVersion: Bool {
    hasUnknownValue || hasUnknownField || message.hasUnknownFields
  }

  /// Reads the alternative if there is exactly one and it is fully known and valid, which is nearly
  /// always the case; otherwise returns false, and the value is to be read again.
  private mutating func readOnly<Choice: FieldChoice>(_ choice: inout Choice) -> Bool {
    var only: Int?
    var rest = message.numbersOfBytes
    while rest != 0 {
      let number = rest.trailingZeroBitCount
      rest &= rest - 1
      if Choice.laterNumbers.contains(number) { return false }
      guard choice.reset(to: number) else { continue }
      guard only == nil else { return false }
      only = number
    }
    guard let only, let part = try? message.only(only, .bytes),
      var reader = try? ProtobufReader(part.bytes)
    else { return false }
    do throws(ModelError) {
      try choice.visitFields(&reader)
    } catch {
      // The caller reads it again and reports the error.
      return false
    }
    isWithinLimits = isWithinLimits && reader.isWithinLimits
    return !reader.isOfLaterVersion
  }

  /// Reads an alternative.
  ///
  /// If later versions may add alternatives, one with unknown contents is kept as its bytes.
  private mutating func read<Choice: FieldChoice>(
    _ part: (number: Int, bytes: [UInt8])
  ) throws(ModelError) -> Choice {
    if try Self.hasUnknown(part, of: Choice.self),
      let unknown = Choice.unknown(number: part.number, bytes: part.bytes)
    {
      hasUnknownValue = true
      return unknown
    }
    return try part.bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      var choice = try Choice.known(part.number)
      var message = try ProtobufReader(UnsafeRawBufferPointer(bytes))
      do throws(ModelError) {
        try choice.visitFields(&message)
      } catch {
        guard message.hasUnknownValue,
          let unknown = Choice.unknown(number: part.number, bytes: part.bytes)
        else { throw error }
        hasUnknownValue = true
        return unknown
      }
      return choice
    }
  }

  /// Whether an alternative contains anything that is unknown to this build.
  ///
  /// - Throws: `malformed` for bytes that no protobuf library can read.
  private static func hasUnknown<Choice: FieldChoice>(
    _ part: (number: Int, bytes: [UInt8]), of type: Choice.Type
  ) throws(ModelError) -> Bool {
    try part.bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      try MessageSurvey.hasUnknown(
        UnsafeRawBufferPointer(bytes), of: Choice.known(part.number))
    }
  }
}

extension FieldChoice {
  /// Returns the initial value for reading an alternative.
  fileprivate static func known(_ number: Int) throws(ModelError) -> Self {
    for alternative in alternatives where alternative.number == number { return alternative.blank }
    throw .invalid("\(number)", "is not an alternative")
  }
}

extension Field {
  /// Returns the content of a protobuf field; nil if it counts as absent.
  fileprivate func content(of field: WireField) throws(ModelError) -> FieldContent? {
    switch type {
    case .bool: return .bool(field.bool)
    case .uint32, .time, .flags, .weekdays: return .integer(Int64(field.uint32))
    case .sint32, .date: return .integer(Int64(field.sint32))
    case .int64, .instant: return .integer(field.int64)
    case .fixed64: preconditionFailure("\(name) is a list")
    case .sint64: return .integer(field.sint64)
    case .name:
      let number = field.enumerationNumber
      return number == 0 && presence == .implicit ? nil : .integer(Int64(number))
    case .text:
      if presence == .implicit, field.bytes.isEmpty { return nil }
      return .text(try field.text(name))
    case .bytes: return .bytes([UInt8](field.bytes))
    case .id:
      guard try hasBytes(16, field) else { return nil }
      let id = Identifier<Void>(loading: field.bytes)
      return .id(high: id.high, low: id.low)
    case .eventID:
      return try hasBytes(EventID.byteCount, field) ? .eventID(EventID(loading: field.bytes)) : nil
    case .message: preconditionFailure("\(name) has fields of its own")
    }
  }

  private func hasBytes(_ count: Int, _ field: WireField) throws(ModelError) -> Bool {
    if field.bytes.isEmpty, presence != .optional { return false }
    guard field.bytes.count == count else {
      throw invalid("has \(field.bytes.count) bytes instead of \(count)")
    }
    return true
  }
}
