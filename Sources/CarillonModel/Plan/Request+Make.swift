internal import Crypto

extension Request {
  /// The request of one merged occurrence.
  init(_ entry: OccurrenceMerge.Entry, of plan: SlotPlan) {
    let content = RequestContent(of: plan.slot, habit: plan.habit)
    let civil = plan.window.calendar.dateTime(at: entry.fireAt)
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
    var hash = SHA256()
    hash.update(data: Array("carillon.fingerprint.v1".utf8))
    hash.update(data: Array(trigger.utf8) + [0])
    hash.update(data: Array(content.canonicalJSON.utf8))
    return hash.finalize().prefix(8).hexadecimal
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
  var canonicalJSON: String {
    let pairs = data.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { "\($0.key.jsonString):\($0.value.jsonString)" }
    let fields: [String?] = [
      body.map { "\"body\":\($0.jsonString)" },
      "\"data\":{\(pairs.joined(separator: ","))}",
      sound.map { "\"sound\":\($0.jsonString)" },
      "\"thread\":\(thread.jsonString)",
      "\"title\":\(title.jsonString)",
    ]
    return "{\(fields.compactMap(\.self).joined(separator: ","))}"
  }
}

extension String {
  /// The text as a JSON string, in the shortest escapes.
  fileprivate var jsonString: String {
    var bytes: [UInt8] = [0x22]
    for byte in utf8 {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x08: bytes += Array("\\b".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0x0A: bytes += Array("\\n".utf8)
      case 0x0C: bytes += Array("\\f".utf8)
      case 0x0D: bytes += Array("\\r".utf8)
      case 0..<0x20: bytes += Array("\\u00".utf8) + Array(CollectionOfOne(byte).hexadecimal.utf8)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes + [0x22], as: UTF8.self)
  }
}
