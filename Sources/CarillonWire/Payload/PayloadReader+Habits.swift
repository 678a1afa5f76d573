internal import CarillonModel

/// Habits: their fields, and what becomes of them.
extension PayloadReader {
  static func habitFields(_ bytes: Bytes) throws(ModelError) -> HabitFields {
    var habit: Bytes?
    var values: [HabitField: HabitFieldValue] = [:]
    var names: [HabitField: Int] = [:]
    var goal = (count: 0, days: 0)
    var cleared: [UInt32] = []
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (11, .bytes):
        try readGoal(field.bytes, into: &goal)
        values[.goal] = .text("\(goal.count)/\(goal.days)d")
      case (15, .varint), (15, .bytes): try field.numbers(appendingTo: &cleared)
      case (3, .varint), (6, .varint), (8, .varint):
        HabitField(rawValue: field.number).map { names[$0] = field.enumerationNumber }
      default:
        guard let name = HabitField(rawValue: field.number),
          let value = try value(of: name, field)
        else { continue }
        values[name] = value
      }
    }
    for (name, number) in names { values[name] = .text(try self.name(number, of: name)) }
    for number in cleared {
      guard let name = HabitField(rawValue: number) else { continue }
      let value = values.updateValue(.none, forKey: name)
      guard value == nil || value == HabitFieldValue.none else {
        throw .invalid(name.name, "is both set and cleared")
      }
    }
    return HabitFields(habit: try identifier(habit, "habit"), values: values)
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
    case (.target, .varint): .integer(field.int64)
    case (.start, .varint), (.end, .varint): .integer(Int64(field.date.rawValue))
    case (.position, .varint): .integer(field.sint64)
    default: nil
    }
  }

  /// The name that a field's number stands for.
  private static func name(_ number: Int, of field: HabitField) throws(ModelError) -> String {
    switch field {
    case .kind: (try named(number, "kind") as Habit.Kind).rawValue
    case .direction: (try named(number, "direction") as Habit.Direction).rawValue
    default: (try named(number, "owner") as Habit.Owner).rawValue
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
    var habit: Bytes?
    var isArchived = false
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .varint): isArchived = field.bool
      default: break
      }
    }
    return HabitArchivedSet(habit: try identifier(habit, "habit"), isArchived: isArchived)
  }

  static func habitDeleted(_ bytes: Bytes) throws(ModelError) -> HabitDeleted {
    var habit: Bytes?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      if field.number == 1, field.type == .bytes { habit = field.bytes }
    }
    return HabitDeleted(habit: try identifier(habit, "habit"))
  }

  static func habitRestored(_ bytes: Bytes) throws(ModelError) -> HabitRestored {
    var habit: Bytes?
    var deletes: [EventID] = []
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .bytes): deletes.append(try eventID(field.bytes, "deletes"))
      default: break
      }
    }
    return HabitRestored(habit: try identifier(habit, "habit"), deletes: deletes)
  }
}
