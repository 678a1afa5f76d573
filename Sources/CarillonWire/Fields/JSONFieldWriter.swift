internal import CarillonModel
internal import Foundation

/// A visitor that writes fields as the members of a JSON object.
struct JSONFieldWriter: FieldVisitor {
  private(set) var object = JSONObject()

  var isReading: Bool { false }
  var hasTexts: Bool { true }

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    object[field.name] = content.map(field.type.json)
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    object[field.name] = .array(list.map(field.type.json))
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    let sorted = members.sorted { $0.key < $1.key }
    object[field.name] = .object(
      JSONObject(distinct: sorted.map { ($0.key, field.type.json($0.value)) }))
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    guard var value = group else { return }
    object[field.name] = .object(
      try Self.object { writer throws(ModelError) in
        try value.visitFields(&writer)
      })
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    var list: [JSONValue] = []
    for var group in groups {
      list.append(
        .object(
          try Self.object { writer throws(ModelError) in
            try group.visitFields(&writer)
          }))
    }
    object[field.name] = .array(list)
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    switch form {
    case .member:
      object[name] = .text(choice.alternativeName)
      try choice.visitFields(&self)
    case .object:
      if let (number, bytes) = choice.unknownAlternative {
        object[name] = .object(
          JSONObject([
            ("unknown", .integer(Int64(number))),
            ("bytes", FieldType.bytes(.base64).json(.bytes(bytes))),
          ]))
        return
      }
      var copy = choice
      object[name] = .object(
        try Self.object { writer throws(ModelError) in
          try copy.visitFields(&writer)
        })
    }
  }

  mutating func visit(
    object name: String, _ fields: (inout JSONFieldWriter) throws(ModelError) -> Void
  ) throws(ModelError) {
    object[name] = .object(try Self.object(fields))
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {
    if isCleared { object[name] = .null }
  }

  func visits(_ name: String, _ numbers: ClosedRange<Int>, isSet: Bool) -> Bool { isSet }

  private static func object(
    _ fields: (inout JSONFieldWriter) throws(ModelError) -> Void
  ) throws(ModelError) -> JSONObject {
    var writer = JSONFieldWriter()
    try fields(&writer)
    return writer.object
  }
}

extension FieldChoice {
  /// The name of the alternative in JSON.
  var alternativeName: String {
    Self.alternatives.first { $0.number == alternative }?.name ?? "unknown"
  }
}
