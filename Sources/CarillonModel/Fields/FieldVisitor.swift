/// An operation on every field of a value, such as writing, reading or checking it.
///
/// A value calls the visitor once for each field, in the order of its JSON form.
package protocol FieldVisitor {
  /// Whether the visitor replaces the values that it visits, without reading them first.
  var isReading: Bool { get }

  /// Whether several fields are one text, such as `08:00-20:00` in JSON.
  var hasTexts: Bool { get }

  /// Whether a list of groups is written as columns, such as `branches.closed` in protobuf.
  var hasColumns: Bool { get }

  /// Whether a message may have a field with a given number.
  ///
  /// A reader returns false for absent fields. Other visitors return true.
  func mayHave(_ number: Int) -> Bool

  /// Visits a field with one value; nil means absent.
  ///
  /// - Throws: `malformed` or `invalidValue`.
  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError)

  /// Visits a field with a list of values.
  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError)

  /// Visits a field with an object of named values, such as `{"key": "value"}`.
  ///
  /// In protobuf it is a list of messages with the name as field 1 and the value as field 2.
  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError)

  /// Visits a field whose value has fields of its own.
  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError)

  /// Visits a field with a list of values that have fields of their own.
  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError)

  /// Visits one of several alternatives, each with its own fields.
  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError)

  /// Visits the fields of a nested JSON object; protobuf has no such nesting.
  mutating func visit(
    object name: String, _ fields: (inout Self) throws(ModelError) -> Void
  ) throws(ModelError)

  /// Visits whether a field is cleared.
  ///
  /// In JSON a cleared field is null; protobuf lists the numbers of cleared fields in a separate
  /// field.
  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError)

  /// Whether a field is visited whose absence means that its value is unchanged.
  ///
  /// A reader returns whether the field is present, a writer whether it is set. Others visit every
  /// field.
  mutating func visits(_ name: String, _ numbers: ClosedRange<Int>, isSet: Bool) -> Bool

  /// Visits a text that is ignored, but must still be valid UTF-8 in protobuf.
  mutating func visit(ignored field: Field) throws(ModelError)

  /// Returns which of several fields occurs last in the message, if the order is known.
  ///
  /// In a `oneof` without messages, only that field counts.
  func last(of numbers: [Int]) -> Int?

  /// Records that a value is unknown to this build.
  mutating func noteUnknown()
}

/// A value whose fields can be visited.
package protocol FieldContainer: Hashable, Sendable {
  /// Passes every field to a visitor.
  mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError)
}

/// A value with fields.
package protocol FieldGroup: FieldContainer {
  /// The initial value for reading.
  static var blank: Self { get }

  /// Checks limits that involve several fields.
  func checkRelations() throws(ModelError)
}

extension FieldGroup {
  package func checkRelations() throws(ModelError) {}

  /// Passes every field to a visitor that does not replace values.
  package func showFields(to visitor: inout some FieldVisitor) throws(ModelError) {
    var copy = self
    try copy.visitFields(&visitor)
  }
}

/// A value that is one of several alternatives: a `oneof` of messages in protobuf.
package protocol FieldChoice: FieldContainer {
  /// The alternatives, each with the initial value for reading.
  static var alternatives: [(number: Int, name: String, blank: Self)] { get }

  /// Replaces the value with the initial value for reading an alternative; returns false for an
  /// unknown number.
  mutating func reset(to number: Int) -> Bool

  /// The numbers reserved for alternatives of later versions; empty if there will be none.
  static var laterNumbers: Range<Int> { get }

  /// Creates a value for an alternative that is unknown to this build.
  static func unknown(number: Int, bytes: [UInt8]) -> Self?

  /// The number and bytes of an unknown alternative, otherwise nil.
  var unknownAlternative: (number: Int, bytes: [UInt8])? { get }

  /// The number of the alternative.
  var alternative: Int { get }
}

/// The JSON form of one of several alternatives.
package enum ChoiceForm: Hashable, Sendable {
  /// A member names the alternative; the alternative's fields follow as members of the same object.
  case member
  /// A nested object has the alternative's fields; one of them has the alternative's name.
  case object
}

extension FieldChoice {
  package mutating func reset(to number: Int) -> Bool {
    for alternative in Self.alternatives where alternative.number == number {
      self = alternative.blank
      return true
    }
    return false
  }

  package static var laterNumbers: Range<Int> { 0..<0 }

  package static func unknown(number: Int, bytes: [UInt8]) -> Self? { nil }

  package var unknownAlternative: (number: Int, bytes: [UInt8])? { nil }
}

// MARK: - Fields with types

// Inlined so that the compiler knows the type of the value. Another module's visitor calls the
// fields of a kind without specialization, where a generic call costs a thousand instructions.
extension FieldVisitor {
  /// Visits a required field.
  @inline(__always)
  package mutating func required<Value: FieldValue>(
    _ number: Int, _ name: String, _ value: inout Value, _ limit: ClosedRange<Int64>? = nil,
    as type: FieldType = Value.fieldType
  ) throws(ModelError) {
    let field = Field(
      number: number, name: name, type: type, presence: .required, limit: limit)
    var content = isReading ? nil : value.fieldContent
    try visit(field, &content)
    guard isReading else { return }
    guard let content else { throw field.invalid("is missing") }
    if !value.read(content) { try refuse(content, of: field) }
  }

  /// Visits a field that may be absent.
  @inline(__always)
  package mutating func optional<Value: FieldValue>(
    _ number: Int, _ name: String, _ value: inout Value?, _ limit: ClosedRange<Int64>? = nil,
    as type: FieldType = Value.fieldType, presence: Field.Presence = .optional
  ) throws(ModelError) {
    guard mayHave(number) else {
      _ = Value.read(nil, into: &value)
      return
    }
    let field = Field(number: number, name: name, type: type, presence: presence, limit: limit)
    var content = isReading ? nil : Value.content(of: value)
    try visit(field, &content)
    guard isReading else { return }
    if !Value.read(content, into: &value), let content { try refuse(content, of: field) }
  }

  /// Visits a field that is not written if it has its default value.
  ///
  /// - Parameter isNamed: Whether the member is required in JSON even so.
  @inline(__always)
  package mutating func defaulted<Value: FieldValue>(
    _ number: Int, _ name: String, _ value: inout Value, _ standard: Value,
    _ limit: ClosedRange<Int64>? = nil, as type: FieldType = Value.fieldType, isNamed: Bool = false
  ) throws(ModelError) {
    guard mayHave(number) else { return value = standard }
    let content = standard.fieldContent
    let field = Field(
      number: number, name: name, type: type,
      presence: isNamed ? .named(content) : .standard(content), limit: limit)
    var found = isReading ? nil : value.fieldContent
    try visit(field, &found)
    guard isReading else { return }
    value = standard
    if let found, !value.read(found) { try refuse(found, of: field) }
  }

  /// Visits a field with a list of values.
  @inline(__always)
  package mutating func list<Value: FieldValue>(
    _ number: Int, _ name: String, _ values: inout [Value], count: ClosedRange<Int>,
    presence: Field.Presence = .required
  ) throws(ModelError) {
    let field = Field(
      number: number, name: name, type: Value.fieldType, presence: presence, limit: nil)
    var contents = isReading ? [] : values.map { $0.fieldContent }
    try visit(field, list: &contents, count: count)
    guard isReading else { return }
    values = []
    values.reserveCapacity(contents.count)
    for content in contents {
      guard let value = Value(fieldContent: content) else { return try refuse(content, of: field) }
      values.append(value)
    }
  }

  /// Visits a field with bytes.
  package mutating func bytes(
    _ number: Int, _ name: String, _ value: inout [UInt8], _ limit: ClosedRange<Int64>,
    as notation: FieldType.BytesNotation, presence: Field.Presence = .required
  ) throws(ModelError) {
    let field = Field(
      number: number, name: name, type: .bytes(notation), presence: presence, limit: limit)
    var content: FieldContent? = .bytes(value)
    try visit(field, &content)
    guard isReading else { return }
    guard case .bytes(let bytes) = content ?? .bytes([]) else { return }
    value = bytes
  }

  /// - Throws: `invalidValue`, always.
  private mutating func refuse(
    _ content: FieldContent, of field: Field
  ) throws(ModelError) {
    noteUnknown()
    throw field.invalid("\(content) is unknown to this version")
  }
}

extension FieldVisitor {
  package func last(of numbers: [Int]) -> Int? { nil }

  package func mayHave(_ number: Int) -> Bool { true }

  package var hasTexts: Bool { false }
  package var hasColumns: Bool { false }

  package mutating func noteUnknown() {}

  package mutating func visit(ignored field: Field) throws(ModelError) {}

  package mutating func visits(
    _ name: String, _ numbers: ClosedRange<Int>, isSet: Bool
  ) -> Bool { true }

  package mutating func visit(
    object name: String, _ fields: (inout Self) throws(ModelError) -> Void
  ) throws(ModelError) {
    try fields(&self)
  }
}

// MARK: - Groups, members and bytes

extension FieldVisitor {
  /// Visits a value that has fields of its own, but is one text in JSON.
  ///
  /// - Parameter example: An allowed text, for messages.
  @inline(__always)
  package mutating func textOrGroup<Value: FieldGroup & TextCodable>(
    _ number: Int, _ name: String, _ value: inout Value?, such example: Value
  ) throws(ModelError) {
    if hasTexts {
      try text(name, &value, such: example)
    } else if mayHave(number) {
      try visit(.message(number, name), group: &value)
    } else {
      value = nil
    }
  }

  /// Visits a value that is one text.
  package mutating func text<Value: TextCodable>(
    _ name: String, _ value: inout Value?, such example: Value
  ) throws(ModelError) {
    var text = value?.description
    try optional(0, name, &text)
    guard isReading else { return }
    value = nil
    guard let text else { return }
    guard let read = Value(text) else {
      throw .invalid(name, "is \"\(text)\"; text such as \(example) is allowed")
    }
    value = read
  }

  /// Visits a field with a list of values that have fields of their own.
  package mutating func groups<Group: FieldGroup>(
    _ number: Int, _ name: String, _ values: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    try visit(.message(number, name), groups: &values, count: count)
  }

  /// Visits a field with named values of one type.
  @inline(__always)
  package mutating func members<Value: FieldValue>(
    _ number: Int, _ name: String, _ values: inout [String: Value], _ limit: ClosedRange<Int64>
  ) throws(ModelError) {
    guard mayHave(number) else { return values = [:] }
    let field = Field(
      number: number, name: name, type: Value.fieldType, presence: .required, limit: limit)
    var contents = isReading ? [:] : values.mapValues { $0.fieldContent }
    try visit(field, members: &contents)
    guard isReading else { return }
    values = contents.compactMapValues(Value.init(fieldContent:))
  }

  /// Visits a field with bytes that may be absent.
  package mutating func optionalBytes(
    _ number: Int, _ name: String, _ value: inout [UInt8]?, _ limit: ClosedRange<Int64>,
    as notation: FieldType.BytesNotation
  ) throws(ModelError) {
    guard mayHave(number) else { return value = nil }
    let field = Field(
      number: number, name: name, type: .bytes(notation), presence: .optional, limit: limit)
    var content = value.map(FieldContent.bytes)
    try visit(field, &content)
    guard isReading else { return }
    value = if case .bytes(let bytes) = content { bytes } else { nil }
  }
}

extension Field {
  /// Returns a field whose value has fields of its own.
  package static func message(_ number: Int, _ name: String) -> Field {
    Field(number: number, name: name, type: .message, presence: .optional, limit: nil)
  }
}
