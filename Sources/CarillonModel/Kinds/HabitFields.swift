/// Fields of one habit, for creating or editing it; an edit has only the changed fields.
///
/// Each field is an LWW register: the value of the event with the greatest ID wins.
public struct HabitFields: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// The values of the fields that are set.
  package var values: [HabitField: HabitFieldValue]
  /// The events whose values an edit replaces, at most ``maxReplaced``; empty if it does not state
  /// them.
  package var replaces: [EventID] = []

  /// Creates a value from its parts.
  package init(habit: HabitID, values: [HabitField: HabitFieldValue]) {
    self.habit = habit
    self.values = values
  }

  /// Creates the fields that create a habit: all that differ from their defaults.
  package init(creating habit: Habit) {
    let blank = Habit(id: habit.id, title: "")
    self.init(from: blank, to: habit)
  }

  /// Creates the fields that change one value of a habit into another: all that differ.
  package init(from old: Habit, to new: Habit) {
    habit = new.id
    let changed = HabitField.allCases.filter { old[$0] != new[$0] }
    values = Dictionary(uniqueKeysWithValues: changed.map { ($0, new[$0]) })
  }
}

/// An event that creates a habit.
package struct HabitCreated: HabitWriting {
  package static let kind = Payload.Kind.habitCreated
  package static let name = "habit.created"
  package var fields: HabitFields

  package init(_ fields: HabitFields) {
    self.fields = fields
  }

  package var payload: Payload { .habitCreated(fields) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try fields.visitFields(&visitor, isEdit: false)
  }

  package func checkRelations() throws(ModelError) {
    guard fields.values[.title] != nil else {
      throw .invalid(
        "title", "must be given; from 1 to \(Limit.maxShortBytes) bytes of UTF-8 are allowed")
    }
  }
}

/// An event that edits a habit.
package struct HabitEdited: HabitWriting {
  package static let kind = Payload.Kind.habitEdited
  package static let name = "habit.edited"
  package var fields: HabitFields

  package init(_ fields: HabitFields) {
    self.fields = fields
  }

  package var payload: Payload { .habitEdited(fields) }

  package func summary(_ words: some SummaryWords) -> String {
    let changes = fields.values.sorted { $0.key.rawValue < $1.key.rawValue }.map { field, value in
      "\(field.name) \(field.text(value))"
    }
    return "\(words.title(of: fields.habit)): \(changes.joined(separator: ", "))"
  }
}

/// A kind that sets fields of a habit.
package protocol HabitWriting: EventContent {
  var fields: HabitFields { get set }

  init(_ fields: HabitFields)
}

extension HabitWriting {
  package static var merge: MergeRule { .lwwRegister }
  package static var isAppendable: Bool { true }
  package static var blank: Self { Self(.blank) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try fields.visitFields(&visitor)
  }

  package func validate(isWithinLimits: Bool) throws(ModelError) {
    if !isWithinLimits { try fields.validate() }
    try checkRelations()
  }

  package var erasureSubject: ErasureSubject { .habit(fields.habit) }

  package func summary(_ words: some SummaryWords) -> String { words.title(of: fields.habit) }
}

extension HabitFields: FieldGroup {
  package static let blank = HabitFields(habit: .zero, values: [:])

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitFields(&visitor, isEdit: true)
  }

  /// - Parameter isEdit: Whether the fields edit a habit. JSON refuses `replaces` in an event that
  ///   creates a habit, where it has no meaning; protobuf has one message for both.
  fileprivate mutating func visitFields(
    _ visitor: inout some FieldVisitor, isEdit: Bool
  ) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    let mayClear = visitor.mayHave(Self.clearedNumber)
    for field in HabitField.allCases where mayClear || visitor.mayHave(Int(field.rawValue)) {
      try visitOrClear(field, &visitor)
    }
    if isEdit || !visitor.hasTexts { try visitor.replaced(16, &replaces) }
  }

  /// Checks only the fields that are set, because most edits set one field.
  fileprivate func validate() throws(ModelError) {
    var (copy, check) = (self, LimitCheck())
    for field in values.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      try copy.visitOrClear(field, &check)
    }
    try check.replaced(16, &copy.replaces)
  }

  private mutating func visitOrClear(
    _ field: HabitField, _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var isCleared = values[field] == HabitFieldValue.none
    try visitor.visit(
      cleared: Int(field.rawValue), field.jsonName, in: Self.clearedNumber, &isCleared)
    if isCleared, !field.isOptional { throw .invalid(field.name, "cannot be cleared") }
    if isCleared {
      values[field] = HabitFieldValue.none
    } else {
      try visit(field, &visitor)
    }
  }

  /// The number of the field that lists the cleared fields.
  private static let clearedNumber = 15

  private mutating func visit(
    _ field: HabitField, _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    switch field {
    case .title: try visitText(field, 1...Limit.maxShortBytes, &visitor)
    case .unit, .group, .question: try visitText(field, 0...Limit.maxShortBytes, &visitor)
    case .notes: try visitText(field, 0...Limit.maxLongBytes, &visitor)
    case .kind: try visitName(field, Habit.Kind.self, &visitor)
    case .direction: try visitName(field, Habit.Direction.self, &visitor)
    case .owner: try visitName(field, Habit.Owner.self, &visitor)
    case .target: try visitNumber(field, 0...Amount.maxThousandths, as: .int64, &visitor)
    case .position:
      try visitNumber(field, -Habit.maxPosition...Habit.maxPosition, as: .sint64, &visitor)
    case .start, .end: try visitNumber(field, nil, as: .date, &visitor)
    case .goal:
      var goal = try value(of: field) { $0.text.flatMap(GoalFields.init) }
      try visitor.textOrGroup(Int(field.rawValue), field.jsonName, &goal, such: .blank)
      values[field] = goal.map { .text($0.description) }
    }
  }

  private mutating func visitText(
    _ field: HabitField, _ limit: ClosedRange<Int64>, _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var text = try value(of: field) { $0.text }
    try visitor.optional(Int(field.rawValue), field.jsonName, &text, limit)
    values[field] = text.map(HabitFieldValue.text)
  }

  private mutating func visitNumber(
    _ field: HabitField, _ limit: ClosedRange<Int64>?, as type: FieldType,
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var number = try value(of: field) { $0.integer }
    try visitor.optional(Int(field.rawValue), field.jsonName, &number, limit, as: type)
    values[field] = number.map(HabitFieldValue.integer)
  }

  private mutating func visitName<Name: NamedFieldValue>(
    _ field: HabitField, _ type: Name.Type, _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var name = try value(of: field) { $0.text.flatMap(Name.init(rawValue:)) }
    try visitor.optional(Int(field.rawValue), field.jsonName, &name)
    values[field] = name.map { .text($0.rawValue) }
  }

  /// Returns the value of a field in its own type.
  ///
  /// - Throws: `invalidValue` for a value of another type.
  private func value<Value>(
    of field: HabitField, _ typed: (HabitFieldValue) -> Value?
  ) throws(ModelError) -> Value? {
    guard let value = values[field] else { return nil }
    guard let typed = typed(value) else {
      throw .invalid(field.name, "\(value) is not allowed")
    }
    return typed
  }
}

extension FieldVisitor {
  /// Visits the events whose values an edit replaces, if it states them.
  mutating func replaced(_ number: Int, _ events: inout [EventID]) throws(ModelError) {
    guard visits("replaces", number...number, isSet: !events.isEmpty) else { return events = [] }
    try list(
      number, "replaces", &events, count: 0...HabitFields.maxReplaced,
      presence: .optional)
    guard isReading, hasTexts, let twice = events.firstRepeated else { return }
    throw .invalid("replaces", "names the event \(twice) twice; name each once")
  }
}

extension [EventID] {
  /// The first element that occurs earlier in the list.
  fileprivate var firstRepeated: EventID? {
    var seen: Set<EventID> = []
    return first { !seen.insert($0).inserted }
  }
}

extension HabitField {
  /// The field's name in the JSON form of events, in which `position` is the event's place in a
  /// log.
  package var jsonName: String { self == .position ? "order" : name }
}

/// A goal as an event stores it: rolling days need no period.
private struct GoalFields: FieldGroup, TextCodable {
  private var goal: Quota

  init?(_ text: String) {
    guard let goal = Quota(text) else { return nil }
    self.goal = goal
  }

  var description: String { goal.description }

  // swift-format-ignore: NeverForceUnwrap
  static let blank = GoalFields("1/1d")!

  mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    var (count, days) = (goal.count, 0)
    var unit: Quota.Unit?
    switch goal.period {
    case .rolling(let length): days = length
    case .day: unit = .day
    case .week: unit = .week
    case .month: unit = .month
    }
    try visitor.required(1, "count", &count)
    try visitor.defaulted(2, "days", &days, 0)
    try visitor.optional(3, "period", &unit, presence: .implicit)
    let period: Quota.Period =
      switch unit {
      case .rolling, nil: .rolling(days: days)
      case .day: .day
      case .week: .week
      case .month: .month
      }
    guard let goal = Quota(count: count, per: period) else {
      throw .invalid("goal", "must be 1 to 1000 times per day, week, month or 1 to 366 days")
    }
    self.goal = goal
  }
}
