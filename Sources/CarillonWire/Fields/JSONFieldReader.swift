internal import CarillonModel

/// A visitor that reads fields from the members of a JSON object.
struct JSONFieldReader: FieldVisitor {
  /// The name of the object in messages, such as `entry.recorded`.
  private let subject: String
  private let object: JSONObject
  /// The names of the fields read so far, in order.
  private var names: [String]

  var isReading: Bool { true }
  var hasTexts: Bool { true }

  /// - Parameter names: The members that were already read.
  init(_ object: JSONObject, as subject: String, after names: [String] = []) {
    self.subject = subject
    self.object = object
    self.names = names
  }

  /// Rejects members that are not fields.
  func finish() throws(ModelError) {
    guard let unknown = object.members.first(where: { !names.contains($0.name) }) else { return }
    throw .invalid(
      unknown.name, "is not a field of \(subject), which has \(names.joined(separator: ", "))")
  }

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    let json = member(field.name)
    content = nil
    guard let json else { return try requireOptional(field) }
    guard let found = field.type.content(json) else {
      throw Self.refused(json, field, field.type.allowed)
    }
    content = found
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    let json = member(field.name)
    list = []
    guard let json else { return try requireOptional(field) }
    let allowed = "a list; each element \(field.type.allowed)"
    guard case .array(let values) = json else { throw Self.refused(json, field, allowed) }
    for value in values {
      guard let content = field.type.content(value) else {
        throw Self.refused(json, field, allowed)
      }
      list.append(content)
    }
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    members = [:]
    guard let json = member(field.name) else { return }
    let allowed = "an object; each member \(field.type.allowed)"
    guard case .object(let object) = json else { throw Self.refused(json, field, allowed) }
    for member in object.members {
      guard let content = field.type.content(member.value) else {
        throw Self.refused(json, field, allowed)
      }
      members[member.name] = content
    }
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    group = nil
    guard let json = member(field.name) else { return }
    group = try read(json, of: field)
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    groups = []
    guard let json = member(field.name) else {
      throw field.invalid("is missing; \(subject) needs it")
    }
    guard case .array(let values) = json else { throw Self.refused(json, field, "a list") }
    for value in values { groups.append(try read(value, of: field)) }
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    let field = Field.alternatives(name, of: Choice.self)
    switch form {
    case .member:
      var content: FieldContent?
      try visit(field, &content)
      guard case .integer(let number) = content,
        let found = Choice.alternatives.first(where: { $0.number == number })
      else { return }
      choice = found.blank
      try choice.visitFields(&self)
    case .object:
      guard let json = member(name) else { throw field.invalid("is missing; \(subject) needs it") }
      guard case .object(let object) = json else { throw Self.refused(json, field, "an object") }
      choice = try Self.choice(of: object, field)
    }
  }

  mutating func visit(
    object name: String, _ fields: (inout JSONFieldReader) throws(ModelError) -> Void
  ) throws(ModelError) {
    let field = Field.message(0, name)
    guard let json = member(name) else { throw field.invalid("is missing; \(subject) needs it") }
    guard case .object(let object) = json else { throw Self.refused(json, field, "an object") }
    var reader = JSONFieldReader(object, as: name)
    try fields(&reader)
    try reader.finish()
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {
    isCleared = object[name] == .null
    if isCleared { names.append(name) }
  }

  mutating func visits(_ name: String, _ numbers: ClosedRange<Int>, isSet: Bool) -> Bool {
    // The visit of a present member notes its name.
    if object[name] == nil { names.append(name) }
    return object[name] != nil
  }

  // MARK: - Parts

  private mutating func member(_ name: String) -> JSONValue? {
    names.append(name)
    return object[name]
  }

  private func requireOptional(_ field: Field) throws(ModelError) {
    switch field.presence {
    case .required, .named:
      throw field.invalid("is missing; \(subject) needs \(field.type.allowed)")
    case .optional, .implicit, .standard: break
    }
  }

  private func read<Group: FieldGroup>(
    _ json: JSONValue, of field: Field
  ) throws(ModelError) -> Group {
    guard case .object(let object) = json else { throw Self.refused(json, field, "an object") }
    var (group, reader) = (Group.blank, JSONFieldReader(object, as: field.name))
    try group.visitFields(&reader)
    try reader.finish()
    return group
  }

  private static func choice<Choice: FieldChoice>(
    of object: JSONObject, _ field: Field
  ) throws(ModelError) -> Choice {
    let found = Choice.alternatives.filter { object[$0.name] != nil }
    guard let only = found.first, found.count == 1 else {
      if let unknown: Choice = try unknown(object, field) { return unknown }
      let names = Choice.alternatives.map(\.name).joined(separator: ", ")
      throw field.invalid("needs exactly one of \(names), such as \(examples)")
    }
    var (choice, reader) = (only.blank, JSONFieldReader(object, as: field.name))
    try choice.visitFields(&reader)
    try reader.finish()
    return choice
  }

  private static let examples =
    #"{"once":"2026-12-24"}, {"weekly":["mon","fri"]} or {"everyDays":3,"from":"2026-11-23"}"#

  private static func unknown<Choice: FieldChoice>(
    _ object: JSONObject, _ field: Field
  ) throws(ModelError) -> Choice? {
    guard !Choice.laterNumbers.isEmpty, object["unknown"] != nil else { return nil }
    var reader = JSONFieldReader(object, as: field.name)
    var (number, bytes) = (0, [UInt8]())
    try reader.required(0, "unknown", &number)
    try reader.bytes(0, "bytes", &bytes, 0...Int64(StoredEvent.maxPayloadBytes), as: .base64)
    try reader.finish()
    let numbers = Choice.alternatives.map { $0.number } + Choice.laterNumbers
    guard numbers.contains(number) else {
      let allowed = numbers.map(String.init).joined(separator: ", ")
      throw field.invalid("unknown is \(number); one of \(allowed) is allowed")
    }
    return Choice.unknown(number: number, bytes: bytes)
  }

  /// Shows a short value as it is, and a long one by its kind.
  private static func refused(_ json: JSONValue, _ field: Field, _ allowed: String) -> ModelError {
    let text = json.description
    let excerpt = text.utf8.count <= 40 ? text : json.kindName
    return field.invalid("is \(excerpt); \(allowed) is allowed")
  }
}

extension Field {
  /// Returns the field that names one of several alternatives.
  fileprivate static func alternatives<Choice: FieldChoice>(
    _ name: String, of choice: Choice.Type
  ) -> Field {
    let names = Choice.alternatives.map { FieldName(name: $0.name, number: UInt32($0.number)) }
    return Field(number: 0, name: name, type: .name(names), presence: .required, limit: nil)
  }
}
