internal import CarillonModel

/// A visitor that examines all fields of a message, even if some are invalid.
///
/// A reader stops at the first invalid field. Two questions concern all fields: whether any
/// protobuf library can read the bytes, and whether a later version may have written them.
struct MessageSurvey: FieldVisitor {
  private var message: MessageFields
  private var hasUnknownValue = false

  var isReading: Bool { false }
  var hasColumns: Bool { true }

  private init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
    message = try MessageFields(bytes)
  }

  /// Whether a message has a field or a value that is unknown to this build.
  ///
  /// - Parameter blank: Any value with the fields of the message.
  /// - Throws: `malformed` for bytes that no protobuf library can read.
  static func hasUnknown(
    _ bytes: UnsafeRawBufferPointer, of blank: some FieldContainer
  ) throws(ModelError) -> Bool {
    var (copy, survey) = (blank, try MessageSurvey(bytes))
    try copy.visitFields(&survey)
    return survey.hasUnknownValue || survey.message.hasUnknownFields
  }

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    try look(at: field)
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    if field.type.wireType == .bytes {
      try look(at: field)
    } else {
      try message.visitNumbers(field.number, field.type.wireType) { _ in }
    }
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    for found in message.all(field.number, .bytes) {
      var member = try MessageSurvey(found.bytes)
      try member.look(at: .memberName(of: field))
      try member.look(at: .memberValue(of: field))
    }
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    try look(at: field.number, Group.blank)
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    try look(at: field.number, Group.blank)
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    for (number, _, blank) in Choice.alternatives { try look(at: number, blank) }
    for number in Choice.laterNumbers where !message.all(number, .bytes).isEmpty {
      hasUnknownValue = true
    }
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {
    try message.visitNumbers(list, .varint) { _ in }
  }

  mutating func visit(ignored field: Field) throws(ModelError) {
    try look(at: field)
  }

  // MARK: -

  private mutating func look(at field: Field) throws(ModelError) {
    for found in message.all(field.number, field.type.wireType) {
      switch field.type {
      case .text: _ = try found.text(field.name)
      case .name(let names):
        let number = found.enumerationNumber
        // 0 counts as absent if no name has that number.
        if number != 0, !names.contains(where: { Int($0.number) == number }) {
          hasUnknownValue = true
        }
      default: break
      }
    }
  }

  private mutating func look(
    at number: Int, _ blank: some FieldContainer
  ) throws(ModelError) {
    for found in message.all(number, .bytes) {
      if try Self.hasUnknown(found.bytes, of: blank) { hasUnknownValue = true }
    }
  }
}
