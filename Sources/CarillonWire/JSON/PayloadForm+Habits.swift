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
    var rule = JSONRule(slot.rule)
    var times = slot.times
    var zone: String? = if case .fixed(let name) = slot.zone { name } else { nil }
    var data = JSONTexts(slot.content.data)
    var unknownFields = slot.unknownFields.isEmpty ? nil : JSONBytes(slot.unknownFields)
    try form.required("habit", &set.habit)
    try form.required("slot", &id)
    try form.required("rule", &rule)
    try form.defaulted("times", &times, [])
    try form.optional("zone", &zone)
    try form.defaulted("unless", &slot.unless, .none)
    try form.optional("stopAfterDays", &slot.stopAfterDays)
    try form.optional("title", &slot.content.title)
    try form.optional("body", &slot.content.body)
    try form.optional("sound", &slot.content.sound)
    try form.defaulted("data", &data, JSONTexts([:]))
    try form.optional("thread", &slot.thread)
    try form.optional("unknownFields", &unknownFields)
    slot.content.data = data.texts
    set.slot = Slot(
      id: id, rule: rule.rule, times: times, zone: zone.map(SlotZone.fixed) ?? .floating,
      unless: slot.unless, stopAfterDays: slot.stopAfterDays, content: slot.content,
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

/// The rule of a slot: an object whose first member says which.
private struct JSONRule: JSONConvertible {
  static var allowed: String {
    #"{"once":"2026-12-24"}, {"weekly":["mon","fri"]} or {"everyDays":3,"from":"2026-11-23"}"#
  }

  let rule: Rule

  init(_ rule: Rule) {
    self.rule = rule
  }

  var json: JSONValue {
    var object = JSONObject()
    switch rule {
    case .once(let date): object["once"] = date.json
    case .weekly(let days): object["weekly"] = days.sorted().json
    case .everyDays(let days, let anchor):
      object["everyDays"] = days.json
      object["from"] = anchor.json
    case .recurrence, .interval, .relative, .place: break
    case .unknown(let number, let bytes):
      object["unknown"] = Int64(number).json
      object["bytes"] = JSONBytes(bytes).json
    }
    return .object(object)
  }

  init?(json: JSONValue) {
    guard case .object(let object) = json, let kind = object.members.first else { return nil }
    switch (kind.name, object.members.count) {
    case ("once", 1):
      guard let date = CivilDate(json: kind.value) else { return nil }
      rule = .once(date)
    case ("weekly", 1):
      guard let days = [Weekday](json: kind.value) else { return nil }
      rule = .weekly(Set(days))
    case ("everyDays", 2), ("from", 2):
      guard let days = object["everyDays"].flatMap(Int.init(json:)),
        let anchor = object["from"].flatMap(CivilDate.init(json:))
      else { return nil }
      rule = .everyDays(days, from: anchor)
    case ("unknown", 2), ("bytes", 2):
      guard let number = object["unknown"].flatMap(Int.init(json:)).flatMap(UInt32.init(exactly:)),
        let bytes = object["bytes"].flatMap(JSONBytes.init(json:))
      else { return nil }
      rule = .unknown(number: number, bytes: bytes.bytes)
    default: return nil
    }
  }
}
