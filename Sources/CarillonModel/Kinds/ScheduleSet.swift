/// An event that sets fields of a schedule; an edit has only the changed fields.
///
/// Each field is an LWW register: the value of the event with the greatest ID wins. The schedule
/// exists if its rule was set and the greatest of its events does not remove it.
public struct ScheduleSet: Hashable, Sendable {
  /// The schedule's habit.
  public var habit: HabitID
  /// The values of the fields that are set; every other field has its default.
  public package(set) var schedule: Schedule
  /// The fields that are set.
  package private(set) var fields: Set<ScheduleField>
  /// The events whose values an edit replaces, at most ``HabitFields/maxReplaced``; empty if it
  /// does not state them.
  package var replaces: [EventID] = []

  /// Creates the event that creates a schedule: it sets every field that differs from its default.
  package init(habit: HabitID, schedule: Schedule) {
    let standard = Schedule.standard(schedule.id)
    self.init(
      habit: habit, schedule: schedule,
      fields: ScheduleField.allCases.filter { $0 == .rule || !schedule.has($0, of: standard) })
  }

  /// Creates an event that sets some fields of a schedule.
  package init(habit: HabitID, schedule: Schedule, fields: some Sequence<ScheduleField>) {
    self.habit = habit
    self.schedule = .standard(schedule.id)
    self.fields = Set(fields)
    for field in self.fields { self.schedule.set(field, from: schedule) }
  }

  /// Creates the event that changes one value of a schedule into another: it sets every field that
  /// differs.
  ///
  /// It also sets a field that did not apply to the old rule, because the register may have another
  /// value than the schedule.
  package init(habit: HabitID, from old: Schedule, to new: Schedule) {
    var fields = Set(ScheduleField.allCases.filter { !new.has($0, of: old) })
    if new.rule.hasOwnTimes {
      // The register keeps the times for an edit of the rule that another device may have made.
      fields.remove(.times)
    } else if old.rule.hasOwnTimes {
      fields.insert(.times)
    }
    if old.rule.zone != nil, new.rule.zone == nil { fields.insert(.zone) }
    self.init(habit: habit, schedule: new, fields: fields)
  }
}

extension ScheduleSet: EventContent {
  package static let kind = Payload.Kind.scheduleSet
  package static let name = "schedule.set"
  package static let isAppendable = true
  package static let merge = MergeRule.lwwRegister
  package static let blank = ScheduleSet(habit: .zero, schedule: .standard(.zero), fields: [])

  package var payload: Payload { .scheduleSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    var id = schedule.id
    try visitor.required(2, "schedule", &id)
    if visitor.isReading { self = ScheduleSet(habit: habit, schedule: .standard(id), fields: []) }
    let mayClear = visitor.mayHave(Self.clearedNumber)
    for field in ScheduleField.allCases
    where mayClear || field == .rule || visitor.mayHave(field.number) {
      try visitOrClear(field, &visitor)
    }
    try visitor.replaced(17, &replaces)
  }

  private mutating func visitOrClear(
    _ field: ScheduleField, _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    let isSet = fields.contains(field)
    if field != .rule {
      var isCleared = isSet && isStandard(field)
      try visitor.visit(
        cleared: field.number, field.rawValue, in: Self.clearedNumber, &isCleared)
      if isCleared {
        fields.insert(field)
        return
      }
    }
    guard visitor.visits(field.rawValue, field.numbers, isSet: isSet) else { return }
    try schedule.visit(field, &visitor)
    guard visitor.isReading else { return }
    // In protobuf, a default that is written counts as absent.
    if visitor.hasTexts || !isStandard(field) { fields.insert(field) }
  }

  /// The number of the field that lists the cleared fields.
  private static let clearedNumber = 16

  private func isStandard(_ field: ScheduleField) -> Bool {
    field != .rule && schedule.has(field, of: .standard(schedule.id))
  }

  package func checkRelations() throws(ModelError) {
    try schedule.rule.checkRelations()
    let data = schedule.content.data
    try Limit.count(data.count, 0...Schedule.Content.maxDataKeys, "data: keys")
    try Limit.count(
      data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count },
      0...Schedule.Content.maxDataBytes, "data: bytes")
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    let title = words.title(of: habit)
    if fields.contains(.rule) { return "\(title): \(words.text(schedule))" }
    let changes = ScheduleField.allCases.filter(fields.contains).map(schedule.words)
    return changes.isEmpty ? title : "\(title): \(changes.joined(separator: ", "))"
  }
}

extension ScheduleSet {
  /// Returns the schedule to which events merge; nil if none of them sets its rule.
  package static func merge(_ sets: some Sequence<(event: EventID, set: ScheduleSet)>) -> Schedule?
  {
    var merged: ScheduleSet?
    for (_, set) in sets.sorted(by: { $0.event < $1.event }) {
      var next = merged ?? ScheduleSet(habit: set.habit, schedule: set.schedule, fields: [])
      for field in set.fields { next.schedule.set(field, from: set.schedule) }
      next.fields.formUnion(set.fields)
      merged = next
    }
    return merged.flatMap { $0.fields.contains(.rule) ? $0.schedule.reconciled : nil }
  }
}

extension Schedule {
  /// Passes one field to a visitor.
  package mutating func visit(
    _ field: ScheduleField, _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    switch field {
    case .rule: try visitor.visit("rule", choice: &rule, form: .object)
    case .times:
      var times = times
      try visitor.list(
        3, "times", &times, count: 0...Self.maxTimes, presence: .standard(.cleared))
      if visitor.isReading { setTimes(times) }
    case .zone:
      var name: String? = if case .fixed(let name) = zone { name } else { nil }
      try visitor.optional(4, "zone", &name, 1...64)
      if visitor.isReading { zone = name.map(ScheduleZone.fixed) ?? .floating }
    case .unless: try visitor.defaulted(5, "unless", &unless, .none)
    case .quota: try visitor.textOrGroup(12, "quota", &quota, such: .blank)
    case .doneWithinSeconds:
      try visitor.optional(13, "doneWithinSeconds", &doneWithinSeconds, Limit.seconds)
    case .quietPolicy: try visitor.defaulted(14, "quietPolicy", &quietPolicy, .deferred)
    case .stopAfterDays: try visitor.optional(6, "stopAfterDays", &stopAfterDays, 0...3_650)
    case .title: try visitor.optional(7, "title", &content.title, 0...Limit.maxShortBytes)
    case .body: try visitor.optional(8, "body", &content.body, 0...1_000)
    case .sound: try visitor.optional(9, "sound", &content.sound, 0...Limit.maxShortBytes)
    case .level: try visitor.optional(15, "level", &content.level, presence: .implicit)
    case .data:
      try visitor.members(11, "data", &content.data, 0...Int64(Schedule.Content.maxDataBytes))
    case .thread: try visitor.optional(10, "thread", &thread, 0...Limit.maxShortBytes)
    }
  }

  /// Returns a field other than the rule with its value, such as `times 17:00 19:00`.
  fileprivate func words(_ field: ScheduleField) -> String {
    let value = text(of: field)
    return value.isEmpty ? "\(field.rawValue) none" : "\(field.rawValue) \(value)"
  }

  /// Returns the value of a field, such as `17:00 19:00`; empty if it has none.
  package func text(of field: ScheduleField) -> String {
    switch field {
    case .rule: "another rule"
    case .times: times.map(\.description).joined(separator: " ")
    case .zone: if case .fixed(let name) = zone { name } else { "of the device" }
    case .unless:
      Condition.named.filter { unless.contains($0.option) }.map(\.name).joined(separator: " ")
    case .quota: quota?.description ?? ""
    case .doneWithinSeconds: doneWithinSeconds.map { "\($0) s" } ?? ""
    case .quietPolicy: quietPolicy.rawValue
    case .stopAfterDays: stopAfterDays.map(String.init) ?? ""
    case .title: content.title ?? ""
    case .body: content.body ?? ""
    case .sound: content.sound ?? ""
    case .level: content.level?.rawValue ?? ""
    case .data: content.data.keys.sorted().joined(separator: " ")
    case .thread: thread ?? ""
    }
  }
}

extension Quota: FieldGroup {
  /// The period's name and number in events.
  enum Unit: String, NamedFieldValue {
    case day, week, month, rolling

    static let names = numbered(from: 1)
  }

  // A count of 1 is in range.
  // swift-format-ignore: NeverForceUnwrap
  package static let blank = Quota(count: 1, per: .day)!

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    var (count, unit, length) = (count, Unit.day, 0)
    switch period {
    case .day: unit = .day
    case .week: unit = .week
    case .month: unit = .month
    case .rolling(let days): (unit, length) = (.rolling, days)
    }
    try visitor.required(1, "count", &count)
    try visitor.required(2, "period", &unit)
    try visitor.defaulted(3, "days", &length, 0)
    let period: Period =
      switch unit {
      case .day: .day
      case .week: .week
      case .month: .month
      case .rolling: .rolling(days: length)
      }
    guard let quota = Quota(count: count, per: period) else {
      throw .invalid("quota", "must be 1 to 1000 times per day, week, month or 1 to 366 days")
    }
    self = quota
  }
}
