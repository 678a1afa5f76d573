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

  /// A rule; `unknown` where the number, or anything in the rule, is not known.
  fileprivate static func rule(_ number: UInt32, _ bytes: Bytes) throws(ModelError) -> Rule {
    guard (32...34).contains(number) else { return .unknown(number: number, bytes: [UInt8](bytes)) }
    var days: UInt32 = 0
    var date: CivilDate?
    var isKnown = true
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (number, field.number, field.type) {
      case (32, 1, .varint), (34, 2, .varint): date = field.date
      case (33, 1, .varint), (34, 1, .varint): days = field.uint32
      default: isKnown = false
      }
    }
    switch number {
    case 32 where isKnown:
      return .once(try date.required("rule: date"))
    case 33 where isKnown && days < 128:
      return .weekly(Set(Weekday.allCases.filter { days & $0.bit != 0 }))
    case 34 where isKnown:
      return .everyDays(Int(days), from: try date.required("rule: from"))
    default:
      return .unknown(number: number, bytes: [UInt8](bytes))
    }
  }
}

/// What was read of a slot so far.
private struct SlotParts {
  var rule: (number: UInt32, bytes: [UInt8])?
  var minutes: [UInt32] = []
  var zone = SlotZone.floating
  var unless = Condition.none
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

  func slot(id: SlotID) throws(ModelError) -> Slot {
    let (number, bytes) = try self.rule.required("rule")
    let rule = try bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      try PayloadReader.rule(number, UnsafeRawBufferPointer(bytes))
    }
    var times: [TimeOfDay] = []
    for minute in minutes { times.append(try PayloadReader.time(Int(minute))) }
    var slot = Slot(
      id: id, rule: rule, times: times, zone: zone, unless: unless, stopAfterDays: stopAfterDays,
      content: content, thread: thread)
    slot.unknownFields = unknownFields
    return slot
  }
}

extension Weekday {
  /// The day's bit in `Weekly.days`: 1 for Monday to 64 for Sunday.
  var bit: UInt32 { 1 << (UInt32(rawValue) - 1) }
}
