internal import Crypto

extension Request {
  /// The request of one merged occurrence.
  init(_ entry: OccurrenceMerge.Entry, of plan: SlotPlan) {
    let content = RequestContent(of: plan.slot, habit: plan.habit)
    let civil = plan.span.window.calendar.dateTime(at: entry.fireAt)
    var trigger = entry.repeating?.description ?? "at \(civil)"
    if case .fixed(let zone) = plan.slot.zone { trigger += " \(zone)" }
    self.init(
      id: entry.id.description, habit: plan.habit.id, slot: plan.slot.id, content: content,
      fireAt: entry.fireAt, nominal: entry.nominal, repeats: entry.repeating != nil,
      trigger: trigger, fingerprint: Self.fingerprint(trigger: trigger, content: content))
  }

  /// The first 16 hex digits of SHA-256 over `"carillon.fingerprint.v1"`, the trigger, a zero byte
  /// and the content as JSON.
  static func fingerprint(trigger: String, content: RequestContent) -> String {
    let bytes = Array("carillon.fingerprint.v1\(trigger)\0".utf8) + content.canonicalJSON
    return SHA256.hash(data: bytes).prefix(8).hexadecimal
  }
}

extension RequestContent {
  /// What a slot shows: its own texts, or where it has none the habit's title and question.
  init(of slot: Slot, habit: Habit) {
    self.init(
      title: slot.content.title ?? habit.title, body: slot.content.body ?? habit.question,
      sound: slot.content.sound, thread: slot.thread ?? habit.id.description,
      data: slot.content.data)
  }

  /// The content as JSON: keys in ascending order, no blanks, nil left out, and in texts only the
  /// quotation mark, the backslash and control characters below U+0020 escaped.
  var canonicalJSON: [UInt8] {
    var json = Array("{".utf8)
    json.reserveCapacity(256)
    if let body { json.appendField("body", body) }
    json.appendName("data")
    json += "{".utf8
    for (key, value) in data.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      json.appendField(key, value)
    }
    json += "}".utf8
    if let sound { json.appendField("sound", sound) }
    json.appendField("thread", thread)
    json.appendField("title", title)
    json += "}".utf8
    return json
  }
}

extension [UInt8] {
  /// Adds a field to the JSON object that is open.
  fileprivate mutating func appendField(_ name: String, _ value: String) {
    appendName(name)
    appendString(value)
  }

  /// Adds a field's name, after a comma where it is not the object's first.
  fileprivate mutating func appendName(_ name: String) {
    if last != UInt8(ascii: "{") { self += ",".utf8 }
    appendString(name)
    self += ":".utf8
  }

  /// Adds a text as a JSON string, in the shortest escapes.
  private mutating func appendString(_ text: String) {
    append(0x22)
    defer { append(0x22) }
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) {
      return append(contentsOf: text.utf8)
    }
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: self += [0x5C, byte]
      case 0x08: self += "\\b".utf8
      case 0x09: self += "\\t".utf8
      case 0x0A: self += "\\n".utf8
      case 0x0C: self += "\\f".utf8
      case 0x0D: self += "\\r".utf8
      case 0..<0x20: self += "\\u00\(CollectionOfOne(byte).hexadecimal)".utf8
      default: append(byte)
      }
    }
  }
}
