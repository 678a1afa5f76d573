internal import CarillonModel

// Habits and slots.
extension PayloadForm {
  static func habitFields(
    _ fields: inout HabitFields, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("habit", &fields.habit)
    for field in HabitField.allCases {
      var value = fields.values[field].map { HabitFieldJSON($0, of: field) }
      try form.optional(field.jsonName, &value)
      fields.values[field] = try value?.value(of: field)
    }
  }

  static func slotSet(_ set: inout SlotSet, _ form: inout JSONForm) throws(ModelError) {
    var slot = set.slot
    var id = slot.id
    var times = slot.times
    var zone: String? = if case .fixed(let name) = slot.zone { name } else { nil }
    var data = JSONTexts(slot.content.data)
    var unknownFields = slot.unknownFields.isEmpty ? nil : JSONBytes(slot.unknownFields)
    try form.required("habit", &set.habit)
    try form.required("slot", &id)
    try form.object("rule", &slot.rule, RuleForm.fields)
    try form.defaulted("times", &times, [])
    try form.optional("zone", &zone)
    try form.defaulted("unless", &slot.unless, .none)
    try form.optional("quota", &slot.quota)
    try form.optional("doneWithinSeconds", &slot.doneWithinSeconds)
    try form.defaulted("quietPolicy", &slot.quietPolicy, .deferred)
    try form.optional("stopAfterDays", &slot.stopAfterDays)
    try form.optional("title", &slot.content.title)
    try form.optional("body", &slot.content.body)
    try form.optional("sound", &slot.content.sound)
    try form.optional("level", &slot.content.level)
    try form.defaulted("data", &data, JSONTexts([:]))
    try form.optional("thread", &slot.thread)
    try form.optional("unknownFields", &unknownFields)
    slot.content.data = data.texts
    set.slot = Slot(
      id: id, rule: slot.rule, times: times, zone: zone.map(SlotZone.fixed) ?? .floating,
      unless: slot.unless, quota: slot.quota, doneWithinSeconds: slot.doneWithinSeconds,
      quietPolicy: slot.quietPolicy, stopAfterDays: slot.stopAfterDays, content: slot.content,
      thread: slot.thread)
    set.slot.unknownFields = unknownFields?.bytes ?? []
  }
}

extension HabitField {
  /// The field's name in the JSON form of events, where `position` is the event's place in a log.
  var jsonName: String { self == .position ? "order" : name }
}

/// The value of one field of a habit; null clears it.
private struct HabitFieldJSON: JSONConvertible {
  static var allowed: String { "text, a whole number, a date, or null, by field," }

  let json: JSONValue

  init(_ value: HabitFieldValue, of field: HabitField) {
    json =
      switch value {
      case .none: .null
      case .text(let text): .text(text)
      case .integer: field.isDate ? value.date?.json ?? .null : .integer(value.integer ?? 0)
      }
  }

  init?(json: JSONValue) {
    self.json = json
  }

  func value(of field: HabitField) throws(ModelError) -> HabitFieldValue {
    switch json {
    case .null: return .none
    case .text(let text) where field.isDate:
      guard let date = CivilDate(text) else { break }
      return .integer(Int64(date.rawValue))
    case .text(let text) where !field.isNumber: return .text(text)
    case .integer(let number) where field.isNumber: return .integer(number)
    default: break
    }
    let allowed = field.isDate ? CivilDate.allowed : field.isNumber ? Int64.allowed : String.allowed
    throw .invalid(field.jsonName, "is \(json.kindName); \(allowed) is allowed")
  }
}

extension HabitField {
  fileprivate var isDate: Bool { self == .start || self == .end }

  fileprivate var isNumber: Bool { self == .target || self == .position }
}

/// Texts by name, written by ascending name.
private struct JSONTexts: JSONConvertible {
  static var allowed: String { "an object of texts" }

  let texts: [String: String]

  init(_ texts: [String: String]) {
    self.texts = texts
  }

  var json: JSONValue {
    var object = JSONObject()
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) { object[name] = .text(text) }
    return .object(object)
  }

  init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    var texts: [String: String] = [:]
    for member in object.members {
      guard case .text(let text) = member.value else { return nil }
      texts[member.name] = text
    }
    self.texts = texts
  }
}
