internal import CarillonModel

/// Slots, which keep what this build does not know.
extension PayloadReader {
  /// The field numbers of a slot's rules; nothing else has one of them.
  static let ruleNumbers: ClosedRange<UInt32> = 32...47

  static func slotSet(_ bytes: Bytes) throws(ModelError) -> SlotSet {
    var habit: HabitID?
    var id: SlotID?
    var parts = SlotParts()
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = try field.identifier("habit")
      case (2, .bytes): id = try field.identifier("slot")
      case (ruleNumbers, .bytes): parts.addRule(field)
      default: try parts.add(field)
      }
    }
    return SlotSet(
      habit: try habit.required("habit"), slot: try parts.slot(id: try id.required("slot")))
  }

  static func slotRemoved(_ bytes: Bytes) throws(ModelError) -> SlotRemoved {
    var habit: HabitID?
    var slot: SlotID?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = try field.identifier("habit")
      case (2, .bytes): slot = try field.identifier("slot")
      default: break
      }
    }
    return SlotRemoved(habit: try habit.required("habit"), slot: try slot.required("slot"))
  }
}

/// What was read of a slot so far.
private struct SlotParts {
  var rule: (number: UInt32, bytes: [UInt8])?
  var minutes: [UInt32] = []
  var zone = SlotZone.floating
  var unless = Condition.none
  var quota: (count: Int, period: Int, days: Int)?
  var doneWithinSeconds: Int?
  var quietPolicy = QuietPolicy.deferred
  var stopAfterDays: Int?
  var content = Content()
  var thread: String?
  var unknownFields: [UInt8] = []

  /// Takes a rule.
  ///
  /// One that is repeated is merged, as messages are; another one replaces it.
  mutating func addRule(_ field: WireField) {
    let start = rule?.number == field.number ? rule?.bytes ?? [] : []
    rule = (field.number, start + field.bytes)
  }

  mutating func add(_ field: WireField) throws(ModelError) {
    switch (field.number, field.type) {
    case (3, .varint), (3, .bytes): try field.numbers(appendingTo: &minutes)
    case (4, .bytes): zone = .fixed(try field.text("zone"))
    case (5, .varint): unless = Condition(rawValue: field.uint32)
    case (6, .varint): stopAfterDays = field.integer
    case (7, .bytes): content.title = try field.text("title")
    case (8, .bytes): content.body = try field.text("body")
    case (9, .bytes): content.sound = try field.text("sound")
    case (10, .bytes): thread = try field.text("thread")
    case (11, .bytes): try addDatum(field.bytes)
    case (12, .bytes): try addQuota(field.bytes)
    case (13, .varint): doneWithinSeconds = field.integer
    case (14, .varint): quietPolicy = try field.named("quietPolicy")
    case (15, .varint): content.level = try field.named("level")
    default: unknownFields += field.whole
    }
  }

  private mutating func addDatum(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
    var (key, value) = ("", "")
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): key = try field.text("data: key")
      case (2, .bytes): value = try field.text("data: value")
      default: break
      }
    }
    content.data[key] = value
  }

  /// Takes a quota; one that is repeated is merged.
  private mutating func addQuota(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
    var parts = quota ?? (count: 0, period: 0, days: 0)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): parts.count = field.integer
      case (2, .varint): parts.period = field.enumerationNumber
      case (3, .varint): parts.days = field.integer
      default: break
      }
    }
    quota = parts
  }

  private func readQuota() throws(ModelError) -> Quota? {
    guard let quota else { return nil }
    guard let period = Quota.Period(wireNumber: quota.period, days: quota.days),
      let value = Quota(count: quota.count, per: period)
    else {
      throw .invalid("quota", "must be 1 to 1000 times a day, week, month or 1 to 366 days")
    }
    return value
  }

  func slot(id: SlotID) throws(ModelError) -> Slot {
    let (number, bytes) = try self.rule.required("rule")
    let rule = try bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      try RuleReader.rule(number, UnsafeRawBufferPointer(bytes))
    }
    var times: [TimeOfDay] = []
    for minute in minutes { times.append(try PayloadReader.time(Int(minute))) }
    var slot = Slot(
      id: id, rule: rule, times: times, zone: zone, unless: unless, quota: try readQuota(),
      doneWithinSeconds: doneWithinSeconds, quietPolicy: quietPolicy,
      stopAfterDays: stopAfterDays, content: content, thread: thread)
    slot.unknownFields = unknownFields
    return slot
  }
}

extension Quota.Period {
  /// The number in `event.proto`; never changes.
  var wireNumber: Int {
    switch self {
    case .day: 1
    case .week: 2
    case .month: 3
    case .rolling: 4
    }
  }

  /// The period of a number; of the others than rolling, the days do not matter.
  fileprivate init?(wireNumber: Int, days: Int) {
    switch wireNumber {
    case 1: self = .day
    case 2: self = .week
    case 3: self = .month
    case 4: self = .rolling(days: days)
    default: return nil
    }
  }
}

extension Weekday {
  /// The day's bit in `Weekly.days`: 1 for Monday to 64 for Sunday.
  var bit: UInt32 { 1 << (UInt32(rawValue) - 1) }
}
