internal import CarillonModel

/// Slots, which keep what this build does not know.
extension PayloadReader {
  /// The field numbers of a slot's rules; nothing else has one of them.
  static let ruleNumbers: ClosedRange<UInt32> = 32...47

  /// The rules that this version knows.
  static let knownRuleNumbers: ClosedRange<UInt32> = 32...38

  static func slotSet(_ bytes: Bytes) throws(ModelError) -> SlotSet {
    var habit: Bytes?
    var id: Bytes?
    var parts = SlotParts()
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .bytes): id = field.bytes
      case (ruleNumbers, .bytes): try parts.addRule(field)
      default: try parts.add(field)
      }
    }
    return SlotSet(
      habit: try identifier(habit, "habit"),
      slot: try parts.slot(id: try identifier(id, "slot")))
  }

  static func slotRemoved(_ bytes: Bytes) throws(ModelError) -> SlotRemoved {
    var habit: Bytes?
    var slot: Bytes?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .bytes): slot = field.bytes
      default: break
      }
    }
    return SlotRemoved(habit: try identifier(habit, "habit"), slot: try identifier(slot, "slot"))
  }
}

/// What was read of a slot so far.
private struct SlotParts {
  /// The last of the rules that are known.
  var rule: Part?
  /// The last of the rules that are not; where there is one, the slot's rule is not known.
  var laterRule: Part?
  var minutes: [UInt32] = []
  var zone = SlotZone.floating
  var unless = Condition.none
  var quota: (count: Int, period: Int, days: Int)?
  var doneWithinSeconds: Int?
  var (quietPolicy, level) = (0, 0)
  var stopAfterDays: Int?
  var content = Content()
  var thread: String?
  var unknownFields: [UInt8] = []

  typealias Part = (number: UInt32, bytes: [UInt8])

  /// Takes a rule.
  ///
  /// One that is repeated is merged, as messages are; another one replaces it.
  ///
  /// - Throws: `malformed` where the one that is replaced is no message.
  mutating func addRule(_ field: WireField) throws(ModelError) {
    if PayloadReader.knownRuleNumbers.contains(field.number) {
      if rule?.number != field.number { try requireRule() }
      rule = Self.joined(rule, field)
    } else {
      laterRule = Self.joined(laterRule, field)
    }
  }

  private static func joined(_ part: Part?, _ field: WireField) -> Part {
    let start = part?.number == field.number ? part?.bytes ?? [] : []
    return (field.number, start + field.bytes)
  }

  /// - Throws: `malformed` where the bytes of the rule so far are no message.
  private func requireRule() throws(ModelError) {
    guard let rule else { return }
    try PayloadReader.requireMessage { () throws(ModelError) in
      _ = try rule.bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
        try RuleReader.rule(rule.number, UnsafeRawBufferPointer(bytes))
      }
    }
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
    case (14, .varint): quietPolicy = field.enumerationNumber
    case (15, .varint): level = field.enumerationNumber
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
    if laterRule != nil { try requireRule() }
    let (number, bytes) = try (laterRule ?? rule).required("rule")
    let rule = try bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      try RuleReader.rule(number, UnsafeRawBufferPointer(bytes))
    }
    var content = content
    if level != 0 { content.level = try PayloadReader.named(level, "level") }
    var times: [TimeOfDay] = []
    for minute in minutes { times.append(try PayloadReader.time(Int(minute))) }
    var slot = Slot(
      id: id, rule: rule, times: times, zone: zone, unless: unless, quota: try readQuota(),
      doneWithinSeconds: doneWithinSeconds,
      quietPolicy: try PayloadReader.named(quietPolicy, "quietPolicy"),
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
