/// An event that sets a complete schedule.
///
/// An LWW register per (habit, schedule), shared with `schedule.removed`.
public struct ScheduleSet: Hashable, Sendable {
  /// The schedule's habit.
  public var habit: HabitID
  /// The complete schedule.
  public var schedule: Schedule

  /// Creates a value from its parts.
  package init(habit: HabitID, schedule: Schedule) {
    self.habit = habit
    self.schedule = schedule
  }
}

extension ScheduleSet: EventContent {
  package static let kind = Payload.Kind.scheduleSet
  package static let name = "schedule.set"
  package static let isAppendable = true
  package static let merge = MergeRule.lwwRegister
  package static let blank = ScheduleSet(
    habit: .zero, schedule: Schedule(id: .zero, rule: .once(.zero), times: []))

  package var payload: Payload { .scheduleSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try schedule.visitFields(&visitor)
  }

  package func checkRelations() throws(ModelError) {
    try schedule.checkRelations()
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    "\(words.title(of: habit)): \(words.text(schedule))"
  }
}

extension Schedule {
  /// Passes every field except the habit to a visitor.
  fileprivate mutating func visitFields(
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var (id, times, level) = (id, times, content.level)
    var zone: String? = if case .fixed(let name) = zone { name } else { nil }
    try visitor.required(2, "schedule", &id)
    try visitor.visit("rule", choice: &rule, form: .object)
    try visitor.list(
      3, "times", &times, count: 0...Self.maxTimes, presence: .standard(.cleared))
    try visitor.optional(4, "zone", &zone, 1...64)
    try visitor.defaulted(5, "unless", &unless, .none)
    try visitor.textOrGroup(12, "quota", &quota, such: .blank)
    try visitor.optional(13, "doneWithinSeconds", &doneWithinSeconds, 60...31_536_000)
    try visitor.defaulted(14, "quietPolicy", &quietPolicy, .deferred)
    try visitor.optional(6, "stopAfterDays", &stopAfterDays, 0...3_650)
    try visitor.optional(7, "title", &content.title, 0...200)
    try visitor.optional(8, "body", &content.body, 0...1_000)
    try visitor.optional(9, "sound", &content.sound, 0...200)
    try visitor.optional(15, "level", &level, presence: .implicit)
    try visitor.members(11, "data", &content.data, 0...2_000)
    try visitor.optional(10, "thread", &thread, 0...200)
    try visitor.visit(unknownFields: &unknownFields)
    guard visitor.isReading else { return }
    let unknownFields = unknownFields
    content.level = level
    self = Schedule(
      id: id, rule: rule, times: times, zone: zone.map(ScheduleZone.fixed) ?? .floating,
      unless: unless, quota: quota, doneWithin: doneWithinSeconds.map { .seconds($0) },
      quietPolicy: quietPolicy, stopAfterDays: stopAfterDays, content: content, thread: thread)
    self.unknownFields = unknownFields
  }

  /// Checks limits that involve several fields.
  fileprivate func checkRelations() throws(ModelError) {
    try rule.checkRelations()
    if case .fixed(let zone) = zone, let named = rule.zone, named != zone {
      throw .invalid(
        "zone", "\(zone) differs from \(named), the zone of the recurrence; leave one out")
    }
    try Limit.count(content.data.count, 0...16, "data: keys")
    try Limit.count(
      content.data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }, 0...2_000,
      "data: bytes")
  }
}

extension Quota: FieldGroup {
  private enum Unit: String, NamedFieldValue {
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
