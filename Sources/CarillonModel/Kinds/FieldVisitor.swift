/// Does something with every field of a value: writes it, replaces it, checks it.
///
/// A value calls it once for each field, in the order in which JSON has them.
package protocol FieldVisitor {
  /// Whether the visitor replaces the values that it visits.
  ///
  /// It does not read them first.
  var isReading: Bool { get }

  /// Whether the form has one text where others have several fields: `08:00-20:00` in JSON.
  var hasTexts: Bool { get }

  /// Whether the form has columns where others have a list of groups: `branches.closed` in
  /// protobuf.
  var hasColumns: Bool { get }

  /// Whether a message may have a field with a number.
  ///
  /// A reader passes over fields that are absent. Other visitors return true.
  func mayHave(_ number: Int) -> Bool

  /// Visits a field with one value; nil is absent.
  ///
  /// - Throws: `malformed` and `invalidValue`.
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

  /// Visits a field that has fields of its own.
  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError)

  /// Visits a field with a list of values that have fields of their own.
  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError)

  /// Visits one of several alternatives, each with fields of its own.
  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError)

  /// Visits the fields of an object within the value's own JSON; protobuf has no such object.
  mutating func visit(
    object name: String, _ fields: (inout Self) throws(ModelError) -> Void
  ) throws(ModelError)

  /// Visits whether a field is cleared.
  ///
  /// In JSON it is null; protobuf lists the numbers of such fields in a field of its own.
  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError)

  /// Visits fields of protobuf that this build does not know, as they came.
  mutating func visit(unknownFields bytes: inout [UInt8]) throws(ModelError)

  /// Visits a text that says nothing here, but must be UTF-8 in protobuf all the same.
  mutating func visit(ignored field: Field) throws(ModelError)

  /// The last of some fields that is there, where the order in which they came is known.
  ///
  /// Of a `oneof` without messages it alone counts.
  func last(of numbers: [Int]) -> Int?

  /// Notes that a value means nothing to this build.
  mutating func noteUnknown()
}

/// A value that shows its fields.
package protocol FieldContainer: Hashable, Sendable {
  /// Shows every field to a visitor.
  mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError)
}

/// A value with fields.
package protocol FieldGroup: FieldContainer {
  /// The value that reading begins with.
  static var blank: Self { get }

  /// Checks what no single field's limit says.
  func checkRelations() throws(ModelError)
}

extension FieldGroup {
  package func checkRelations() throws(ModelError) {}

  /// Shows every field to a visitor that replaces nothing.
  package func showFields(to visitor: inout some FieldVisitor) throws(ModelError) {
    var copy = self
    try copy.visitFields(&visitor)
  }
}

/// A value that is one of several alternatives, a `oneof` of messages in protobuf.
package protocol FieldChoice: FieldContainer {
  /// The alternatives, each with the value that reading begins with.
  static var alternatives: [(number: Int, name: String, blank: Self)] { get }

  /// The value that reading an alternative begins with; nil for a number that none has.
  static func blank(of number: Int) -> Self?

  /// The numbers of alternatives that a later version may have; empty: there will be none.
  static var laterNumbers: Range<Int> { get }

  /// An alternative that this build does not know.
  static func unknown(number: Int, bytes: [UInt8]) -> Self?

  /// What ``unknown(number:bytes:)`` was given, where it is such an alternative.
  var unknownAlternative: (number: Int, bytes: [UInt8])? { get }

  /// The number of the alternative.
  var alternative: Int { get }
}

/// How JSON writes one of several alternatives.
package enum ChoiceForm: Hashable, Sendable {
  /// As a member with its name; its fields stand beside it.
  case member
  /// As an object with its fields, one of which has its name.
  case object
}

extension FieldChoice {
  package static func blank(of number: Int) -> Self? {
    alternatives.first { $0.number == number }?.blank
  }

  package static var laterNumbers: Range<Int> { 0..<0 }

  package static func unknown(number: Int, bytes: [UInt8]) -> Self? { nil }

  package var unknownAlternative: (number: Int, bytes: [UInt8])? { nil }
}

// MARK: - Fields with types

extension FieldVisitor {
  /// Visits a field that must be there.
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

  /// Visits a field that is not written where it has its default.
  ///
  /// - Parameter isNamed: Whether JSON must name the value all the same.
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
    throw field.invalid("\(content) has no meaning to this version")
  }
}

extension FieldVisitor {
  package func last(of numbers: [Int]) -> Int? { nil }

  package func mayHave(_ number: Int) -> Bool { true }

  package var hasTexts: Bool { false }
  package var hasColumns: Bool { false }

  package mutating func noteUnknown() {}

  package mutating func visit(ignored field: Field) throws(ModelError) {}

  package mutating func visit(unknownFields bytes: inout [UInt8]) throws(ModelError) {}

  package mutating func visit(
    object name: String, _ fields: (inout Self) throws(ModelError) -> Void
  ) throws(ModelError) {
    try fields(&self)
  }
}

// MARK: - Groups, members and bytes

extension FieldVisitor {
  /// Visits a value that has fields of its own, or one text in JSON.
  ///
  /// - Parameter example: A text that is allowed, for messages.
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
  /// A field with fields of its own.
  package static func message(_ number: Int, _ name: String) -> Field {
    Field(number: number, name: name, type: .message, presence: .optional, limit: nil)
  }
}
