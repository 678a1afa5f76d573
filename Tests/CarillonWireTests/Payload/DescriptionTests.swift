import CarillonModel
import Foundation
import Testing

@testable import CarillonTestSupport

/// Compares the descriptions of the kinds with the specification.
@Suite("Descriptions of event kinds")
struct DescriptionTests {
  @Test("event.proto has the fields of every kind, with their numbers and types")
  func grammar() throws {
    let grammar = try Grammar()
    #expect(grammar.kinds.keys.sorted() == Payload.Kind.allCases.map(\.rawValue).sorted())
    for kind in Payload.Kind.allCases {
      let message = try #require(grammar.kinds[kind.rawValue], "\(kind.name)")
      grammar.compare(message, try Self.described(kind), path: kind.name)
    }
  }

  @Test("EVENTS.md names every field of every kind in the kind's section")
  func specification() throws {
    let sections = try Self.sections()
    for kind in Payload.Kind.allCases {
      var section = try #require(sections[kind], "\(kind.name)")
      if let reference = section.firstMatch(of: /as in (\d+)/), let number = UInt32(reference.1) {
        section += Payload.Kind(rawValue: number).flatMap { sections[$0] } ?? ""
      }
      let names = try Self.described(kind, inJSON: true).names
      let missing = names.filter { !section.contains($0) }
      #expect(missing.isEmpty, "\(kind.name): \(missing)")
    }
  }

  @Test("EVENTS.md states the merge rule of every kind in the kind's section")
  func mergeRules() throws {
    let sections = try Self.sections()
    for kind in Payload.Kind.allCases {
      let section = try #require(sections[kind], "\(kind.name)").lowercased()
      #expect(section.contains("**\(kind.type.merge.words)**"), "\(kind.name)")
    }
  }

  /// The sections of EVENTS.md by the kinds in their headings.
  private static func sections() throws -> [Payload.Kind: String] {
    let text = try String(
      contentsOf: root.appending(path: "protocol/EVENTS.md"), encoding: .utf8)
    var found: [Payload.Kind: String] = [:]
    for section in text.components(separatedBy: "\n### ").dropFirst() {
      let heading = section.prefix { $0 != "\n" }
      for kind in Payload.Kind.allCases
      where heading.contains("\(kind.rawValue) `\(kind.name)`") && found[kind] == nil {
        found[kind] = section
      }
    }
    return found
  }

  /// Returns the fields of a kind: those that occur in any of many random values.
  private static func described(
    _ kind: Payload.Kind, inJSON: Bool = false
  ) throws -> DescribedMessage {
    var generator = PayloadGenerator(SeededGenerator(seed: UInt64(kind.rawValue)))
    var list = FieldList(hasTexts: inJSON)
    for _ in 0..<200 {
      try generator.payload(of: kind).content?.showFields(to: &list)
    }
    return list.message
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

extension MergeRule {
  /// The term of the specification, in lower case.
  fileprivate var words: String {
    switch self {
    case .lwwRegister: "lww register"
    case .perReplicaLWWRegister: "per-replica lww register"
    case .growOnlySet: "grow-only set"
    case .observedRemove: "observed-remove"
    case .maxRegister: "max register"
    }
  }
}

/// A message as the descriptions define it.
private struct DescribedMessage {
  var fields: [Int: DescribedField] = [:]

  /// The JSON names of its fields, including those of nested messages.
  var names: Set<String> {
    fields.values.reduce(into: []) { names, field in
      names.insert(field.name)
      if let message = field.message { names.formUnion(message.names) }
    }
  }
}

private struct DescribedField {
  let name: String
  let type: FieldType
  let isRepeated: Bool
  var message: DescribedMessage?
}

/// Collects the fields of a value.
private struct FieldList: FieldVisitor {
  let hasTexts: Bool
  var message = DescribedMessage()

  var isReading: Bool { false }
  var hasColumns: Bool { !hasTexts }

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    add(field, isRepeated: false)
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    add(field, isRepeated: true)
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    var member = FieldList(hasTexts: hasTexts)
    member.add(
      Field(number: 1, name: field.name, type: .text, presence: .optional), isRepeated: false)
    member.add(
      Field(number: 2, name: field.name, type: field.type, presence: .optional), isRepeated: false)
    add(.message(field.number, field.name), isRepeated: true, member.message)
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    try add(field, group ?? Group.blank, isRepeated: false)
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    try add(field, groups.first ?? Group.blank, isRepeated: true)
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    for (number, _, blank) in Choice.alternatives {
      try add(.message(number, name), blank, isRepeated: false)
    }
    guard choice.unknownAlternative == nil else { return }
    try add(.message(choice.alternative, name), choice, isRepeated: false)
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {
    add(Field(number: list, name: "cleared", type: .uint32, presence: .optional), isRepeated: true)
  }

  private mutating func add(
    _ field: Field, _ value: some FieldContainer, isRepeated: Bool
  ) throws(ModelError) {
    var (copy, list) = (value, FieldList(hasTexts: hasTexts))
    try copy.visitFields(&list)
    add(field, isRepeated: isRepeated, list.message)
  }

  private mutating func add(
    _ field: Field, isRepeated: Bool, _ nested: DescribedMessage? = nil
  ) {
    // Fields that other values had are kept.
    let known = message.fields[field.number]?.message?.fields ?? [:]
    let nested = nested.map {
      DescribedMessage(fields: $0.fields.merging(known) { new, _ in new })
    }
    message.fields[field.number] = DescribedField(
      name: field.name, type: field.type, isRepeated: isRepeated, message: nested)
  }
}

/// The messages of event.proto.
private struct Grammar {
  /// The messages of the kinds, by number.
  private(set) var kinds: [UInt32: String] = [:]
  private var messages: [String: [Int: (type: String, isRepeated: Bool)]] = [:]
  private var enumerations: [String: Set<UInt32>] = [:]

  init() throws {
    let file = DescriptionTests.root.appending(path: "protocol/carillon/v1/event.proto")
    // The innermost scope is last; a oneof has the fields of its message.
    var scopes: [String] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let name = scopes.last ?? ""
      if let found = line.wholeMatch(of: /\s*(message|enum) (\w+) \{\}?/) {
        let name = (name.isEmpty ? "" : name + ".") + found.2
        if found.1 == "message" { messages[name] = [:] } else { enumerations[name] = [] }
        if !line.hasSuffix("}") { scopes.append(name) }
      } else if line.contains("oneof ") {
        scopes.append(name)
      } else if line.wholeMatch(of: /\s*\}/) != nil {
        scopes.removeLast()
      } else if let found = line.wholeMatch(of: /\s+(optional |repeated )?(\w+) \w+ = (\d+);/) {
        messages[name]?[Int(found.3) ?? 0] = (String(found.2), found.1 == "repeated ")
      } else if let found = line.wholeMatch(of: /\s+\w+ = (\d+);/) {
        if !line.contains("UNSPECIFIED") { enumerations[name]?.insert(UInt32(found.1) ?? 0) }
      }
    }
    for (number, field) in messages["Payload"] ?? [:] { kinds[UInt32(number)] = field.type }
  }

  func compare(_ name: String, _ described: DescribedMessage, path: String) {
    let fields = messages[name] ?? [:]
    #expect(fields.keys.sorted() == described.fields.keys.sorted(), "\(path)")
    for (number, field) in described.fields {
      guard let (type, isRepeated) = fields[number] else { continue }
      let place: String = "\(path) \(field.name) = \(number)"
      #expect(field.isRepeated == isRepeated, "\(place)")
      if let message = field.message {
        let nested = "\(name).\(type)"
        compare(messages[nested] == nil ? type : nested, message, path: place)
      } else if case .name(let names) = field.type {
        #expect(enumerations[type] == Set(names.map(\.number)), "\(place)")
      } else {
        #expect(Self.name(of: field.type) == type, "\(place)")
      }
    }
  }

  private static func name(of type: FieldType) -> String {
    switch type {
    case .bool: "bool"
    case .uint32, .time, .flags, .weekdays: "uint32"
    case .sint32, .date: "sint32"
    case .int64, .instant: "int64"
    case .sint64: "sint64"
    case .fixed64: "fixed64"
    case .text: "string"
    case .bytes, .id, .eventID: "bytes"
    case .name, .message: "a named type"
    }
  }
}
