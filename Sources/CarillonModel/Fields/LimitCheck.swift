/// A visitor that checks every field against its limit.
struct LimitCheck: FieldVisitor {
  let isReading = false

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    if let content { try field.check(content) }
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    try field.check(count: list.count, in: count)
    for content in list { try field.check(content) }
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    for content in members.values { try field.check(content) }
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    try group?.visitFields(&self)
    try group?.checkRelations()
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    try field.check(count: groups.count, in: count)
    for var group in groups {
      try group.visitFields(&self)
      try group.checkRelations()
    }
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    try choice.visitFields(&self)
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {}

  mutating func visits(_ name: String, _ numbers: ClosedRange<Int>, isSet: Bool) -> Bool { isSet }
}
