import Testing

@testable import CarillonModel

@Suite struct HabitFieldTests {
  private var full: Habit {
    var habit = Habit(id: .random(), title: "Water")
    habit.kind = .count
    habit.unit = "glasses"
    habit.target = 8_000
    habit.direction = .atMost
    habit.group = "health"
    habit.owner = .both
    habit.start = "2026-11-23"
    habit.end = "2027-11-23"
    habit.goal = Goal(count: 3, days: 7)
    habit.question = "Drunk?"
    habit.notes = "n"
    habit.position = -4
    return habit
  }

  @Test("Creating and editing fields turn one habit into the other, field by field")
  func differences() throws {
    let habit = full
    var made = Habit(id: habit.id, title: "")
    let created = HabitFields(creating: habit)
    #expect(Set(created.values.keys) == Set(HabitField.allCases))
    try created.validate()
    for (field, value) in created.values { made[field] = value }
    #expect(made == habit)
    let plain = Habit(id: habit.id, title: "Water")
    let edited = HabitFields(from: habit, to: plain)
    #expect(edited.values[.title] == nil && edited.values[.unit] == HabitFieldValue.none)
    try edited.validate()
    for (field, value) in edited.values { made[field] = value }
    #expect(made == plain)
    #expect(HabitFields(from: habit, to: habit).values.isEmpty)
  }

  @Test("A value of another type is refused, and changes nothing that has a default")
  func wrongTypes() {
    for field in HabitField.allCases {
      var habit = full
      let wrong: HabitFieldValue = habit[field].text == nil ? .text("x") : .integer(1)
      habit[field] = wrong
      if !field.isOptional { #expect(habit == full.with(id: habit.id)) }
      let fields = HabitFields(habit: habit.id, values: [field: wrong])
      #expect(throws: ModelError.self) { try fields.validate() }
    }
  }

  @Test(
    "Values out of their limits are refused by the field's name",
    arguments: [
      (HabitField.title, HabitFieldValue.text("")),
      (.title, .text(String(repeating: "é", count: 101))), (.title, .none), (.kind, .none),
      (.unit, .text(String(repeating: "x", count: 201))), (.kind, .text("maybe")),
      (.direction, .text("")), (.owner, .text("nobody")), (.target, .integer(0)),
      (.target, .integer(1_000_000_000_001)), (.start, .integer(-1)), (.end, .integer(84_371)),
      (.goal, .text("0/7d")), (.goal, .text("3/367d")), (.goal, .text("3/7")),
      (.notes, .text(String(repeating: "x", count: 2_001))), (.position, .integer(.min)),
    ])
  func limits(field: HabitField, value: HabitFieldValue) {
    let fields = HabitFields(habit: .random(), values: [field: value])
    let error = #expect(throws: ModelError.self) { try fields.validate() }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.hasPrefix(field.name) == true)
  }

  @Test("A goal's text parses back, and nothing else parses")
  func goal() {
    #expect(Goal("3/7d").map(\.description) == "3/7d")
    for wrong in ["3/7", "/7d", "3/d", "-3/7d", "3/7d ", "1001/7d", "3/0d", "3/7/1d", ""] {
      #expect(Goal(wrong) == nil)
    }
  }
}

extension Habit {
  /// The same habit under another id.
  fileprivate func with(id: HabitID) -> Habit {
    var copy = Habit(id: id, title: title)
    for field in HabitField.allCases { copy[field] = self[field] }
    return copy
  }
}
