internal import CarillonModel

/// Habits: their fields, and what becomes of them.
extension PayloadReader {
  static func habitFields(_ bytes: Bytes) throws(ModelError) -> HabitFields {
    var habit: HabitID?
    var values: [HabitField: HabitFieldValue] = [:]
    var goal = (count: 0, days: 0)
    var cleared: [UInt32] = []
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = try field.identifier("habit")
      case (11, .bytes):
        try readGoal(field.bytes, into: &goal)
        values[.goal] = .text("\(goal.count)/\(goal.days)d")
      case (15, .varint), (15, .bytes): try field.numbers(appendingTo: &cleared)
      default:
        guard let name = HabitField(rawValue: field.number),
          let value = try value(of: name, field)
        else { continue }
        values[name] = value
      }
    }
    for number in cleared {
      guard let name = HabitField(rawValue: number) else { continue }
      let value = values.updateValue(.none, forKey: name)
      guard value == nil || value == HabitFieldValue.none else {
        throw .malformed("\(name.name): is both set and cleared")
      }
    }
    return HabitFields(habit: try habit.required("habit"), values: values)
  }

  /// The value of one field, or nil where it has another wire type than it should.
  private static func value(
    of name: HabitField, _ field: WireField
  ) throws(ModelError) -> HabitFieldValue? {
    switch (name, field.type) {
    case (.title, .bytes): .text(try field.text("title"))
    case (.unit, .bytes): .text(try field.text("unit"))
    case (.group, .bytes): .text(try field.text("group"))
    case (.question, .bytes): .text(try field.text("question"))
    case (.notes, .bytes): .text(try field.text("notes"))
    case (.kind, .varint): .text((try field.named("kind") as Habit.Kind).rawValue)
    case (.direction, .varint): .text((try field.named("direction") as Habit.Direction).rawValue)
    case (.owner, .varint): .text((try field.named("owner") as Habit.Owner).rawValue)
    case (.target, .varint): .integer(field.int64)
    case (.start, .varint), (.end, .varint): .integer(Int64(field.date.rawValue))
    case (.position, .varint): .integer(field.sint64)
    default: nil
    }
  }

  private static func readGoal(
    _ bytes: Bytes, into goal: inout (count: Int, days: Int)
  ) throws(ModelError) {
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): goal.count = field.integer
      case (2, .varint): goal.days = field.integer
      default: break
      }
    }
  }

  static func habitArchivedSet(_ bytes: Bytes) throws(ModelError) -> HabitArchivedSet {
    var habit: HabitID?
    var isArchived = false
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = try field.identifier("habit")
      case (2, .varint): isArchived = field.bool
      default: break
      }
    }
    return HabitArchivedSet(habit: try habit.required("habit"), isArchived: isArchived)
  }

  static func habitDeleted(_ bytes: Bytes) throws(ModelError) -> HabitDeleted {
    var habit: HabitID?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      if field.number == 1, field.type == .bytes { habit = try field.identifier("habit") }
    }
    return HabitDeleted(habit: try habit.required("habit"))
  }

  static func habitRestored(_ bytes: Bytes) throws(ModelError) -> HabitRestored {
    var habit: HabitID?
    var deletes: [EventID] = []
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = try field.identifier("habit")
      case (2, .bytes): deletes.append(try field.eventID("deletes"))
      default: break
      }
    }
    return HabitRestored(habit: try habit.required("habit"), deletes: deletes)
  }
}
