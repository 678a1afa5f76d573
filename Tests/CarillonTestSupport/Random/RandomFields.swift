internal import CarillonModel

/// Sets every field of a value to a random value within its limits.
///
/// A combination of fields may still be invalid; the caller then tries again.
struct RandomFields<Random: RandomNumberGenerator>: FieldVisitor {
  var generator: PayloadGenerator<Random>
  /// The first date of a pair; the second is often soon after it.
  private var lastDate: CivilDate?

  var isReading: Bool { true }

  init(_ generator: PayloadGenerator<Random>) {
    self.generator = generator
  }

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    content = nil
    switch field.presence {
    case .required: content = value(of: field)
    case .optional, .implicit, .standard, .named:
      guard generator.bool() else { return }
      let random = value(of: field)
      // An empty value counts as absent.
      if field.presence != .implicit || random != .text("") { content = random }
    }
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    list = (0..<generator.int(count.few)).map { _ in value(of: field) }
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    members = [:]
    for _ in 0..<generator.int(0...8) {
      members[generator.text(1...20)] = value(of: field)
    }
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    group = generator.bool() ? try random(Group.self) : nil
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    groups = []
    for _ in 0..<generator.int(count.few) { groups.append(try random(Group.self)) }
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    if generator.int(1...8) == 1, let number = generator.pick(Array(Choice.laterNumbers)),
      let unknown = Choice.unknown(number: number, bytes: generator.bytes(0...30))
    {
      return choice = unknown
    }
    guard let found = generator.pick(Choice.alternatives) else { return }
    choice = found.blank
    try choice.visitFields(&self)
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {
    isCleared = generator.int(1...16) == 1
  }

  mutating func visits(_ name: String, _ numbers: ClosedRange<Int>, isSet: Bool) -> Bool {
    generator.bool()
  }

  // MARK: -

  private mutating func random<Group: FieldGroup>(_ type: Group.Type) throws(ModelError) -> Group {
    var group = Group.blank
    try group.visitFields(&self)
    return group
  }

  private mutating func value(of field: Field) -> FieldContent {
    switch field.type {
    case .bool: .bool(generator.bool())
    case .uint32, .sint32, .int64, .sint64, .fixed64:
      .integer(generator.integer(field.limit ?? 0...10_000))
    case .date: date().fieldContent
    case .time: generator.time().fieldContent
    case .instant: generator.instant().fieldContent
    // A recurrence has a grammar.
    case .text where field.name == "recurrence": .text(generator.recurrence())
    case .text: .text(generator.text(field.limit.bytes))
    case .bytes: .bytes(generator.bytes(field.limit.bytes))
    case .id: (generator.id() as Identifier<Void>).fieldContent
    case .eventID: generator.eventID().fieldContent
    case .name(let names): .integer(Int64(generator.pick(names)?.number ?? 0))
    case .flags(let names):
      .integer(names.reduce(0) { generator.bool() ? $0 | Int64($1.number) : $0 })
    case .weekdays: .integer(generator.integer(field.limit ?? 0...127))
    case .message: preconditionFailure("\(field.name) has fields of its own")
    }
  }

  private mutating func date() -> CivilDate {
    let accepted = CivilDate.accepted
    defer { lastDate = nil }
    if let lastDate, generator.bool() {
      return min(lastDate.adding(days: generator.int(0...40)), accepted.upperBound)
    }
    let date = generator.date()
    lastDate = date
    return date
  }
}

extension ClosedRange<Int> {
  /// At most 20 more than the lower bound.
  fileprivate var few: ClosedRange<Int> { lowerBound...Swift.min(upperBound, lowerBound + 20) }
}

extension ClosedRange<Int64>? {
  /// The limits of the byte count of a text or bytes; 0 to 50 if the field has none.
  fileprivate var bytes: ClosedRange<Int> {
    map { Int($0.lowerBound)...Int($0.upperBound) } ?? 0...50
  }
}
