extension NotificationRequest {
  /// Creates the request of a candidate, with the other occurrences that it represents.
  init(_ candidate: Candidate, representing others: [OccurrenceID], on device: CivilCalendar) {
    let firing = candidate.firing
    let (habit, schedule) = (firing.schedule.habit, firing.schedule.schedule)
    let calendar = firing.schedule.timetable.range.calendar
    var isAbsolute = firing.isSnoozed
    if case .interval = schedule.rule { isAbsolute = !firing.isDeferred }
    var (content, zone) = (RequestContent(of: schedule, habit: habit), schedule.civilZone)
    if firing.isPassive { content.makePassive() }
    if let digest = candidate.digest {
      content = RequestContent(of: digest)
      zone = .floating
      isAbsolute = false
    }
    let trigger =
      if let repeating = candidate.trigger {
        RequestTrigger(repeating, zone: repeating.isCivil ? zone.name : nil)
      } else if isAbsolute, zone == .floating {
        RequestTrigger(.at(civilSeconds: candidate.fireAt.seconds), zone: "UTC")
      } else {
        RequestTrigger(
          .at(
            civilSeconds: (zone == .floating ? device : calendar)
              .civilSeconds(at: candidate.fireAt)),
          zone: zone.name)
      }
    self.init(
      id: candidate.id, occurrence: firing.occurrenceID, alsoRepresents: others, content: content,
      fireAt: candidate.fireAt, nominal: firing.localNominal, trigger: trigger,
      fingerprint: Self.fingerprint(
        trigger: trigger, phase: candidate.phaseSuffix, content: content))
  }

  /// Creates the request of a place, named by a date.
  init(_ place: Schedule.Region, of schedule: Schedule, _ habit: Habit, on today: CivilDate) {
    let trigger = RequestTrigger(.place(place))
    let content = RequestContent(of: schedule, habit: habit)
    let nominal = CivilDateTime(date: today, time: .midnight)
    self.init(
      id: RequestID(habit: habit.id, schedule: schedule.id, trigger: trigger.shape),
      occurrence: OccurrenceID(habit: habit.id, schedule: schedule.id, nominal: nominal),
      content: content, fireAt: nil, nominal: nominal, trigger: trigger,
      fingerprint: Self.fingerprint(trigger: trigger, content: content))
  }

  /// Creates the request to open the app, before notifications are missed.
  ///
  /// It carries the first occurrence that would be missed, which it does not represent.
  init(
    opening replica: ReplicaID, at instant: Instant, before first: Candidate,
    on device: CivilCalendar
  ) {
    let content = RequestContent(
      title: RequestContent.openingTitle, thread: "carillon")
    let trigger = RequestTrigger(.at(civilSeconds: device.civilSeconds(at: instant)))
    self.init(
      id: RequestID(opening: replica), occurrence: first.firing.occurrenceID, content: content,
      fireAt: instant, nominal: first.firing.localNominal, trigger: trigger,
      fingerprint: Self.fingerprint(trigger: trigger, content: content))
  }

  /// Returns the first 16 hex digits of SHA-256 over `"carillon.fingerprint.v1"`, the trigger, a
  /// zero byte and the content as JSON.
  ///
  /// - Parameter phase: The phase of a repeating interval, which follows the trigger's text.
  static func fingerprint(
    trigger: RequestTrigger, phase: String = "", content: RequestContent
  ) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    bytes += "carillon.fingerprint.v1\(trigger)\(phase)\0".utf8
    content.appendCanonicalJSON(to: &bytes)
    return withUnsafeBytes(of: SHA2.digest(of: bytes)) { $0.prefix(8).hexadecimal }
  }
}

extension Candidate {
  /// The phase of a repeating interval: a space, a plus sign and the milliseconds by which its
  /// instants follow whole multiples of the interval since 1970.
  ///
  /// Empty for other triggers.
  ///
  /// The trigger's text, from which the ID is computed, does not contain the phase, and the phase
  /// stays constant over time.
  fileprivate var phaseSuffix: String {
    guard case .every(let seconds) = trigger else { return "" }
    return " +\(fireAt.milliseconds.flooredDivision(by: Int64(seconds) * 1_000).remainder)"
  }
}

extension RequestContent {
  /// Creates the content of a schedule: its own texts, or the habit's title and question if it has
  /// none.
  init(of schedule: Schedule, habit: Habit) {
    self.init(
      title: schedule.content.title ?? habit.title, body: schedule.content.body ?? habit.question,
      sound: schedule.content.sound, level: schedule.content.level,
      thread: schedule.thread ?? habit.id.description, data: schedule.content.data)
  }

  /// The title of the request to open the app.
  package static let openingTitle = "Open the app to keep your reminders"

  /// Creates the content of a digest: the number of notifications and the titles of their habits.
  init(of digest: Candidate.Digest) {
    var titles: [String] = []
    for member in digest.members {
      let title = member.firing.schedule.habit.title
      if !titles.contains(title) { titles.append(title) }
    }
    let schedules = digest.members.map(\.firing.schedule.schedule)
    self.init(
      title: digest.group.isEmpty ? "\(schedules.count) reminders" : digest.group,
      body: titles.joined(separator: ", "), sound: schedules.lazy.compactMap(\.content.sound).first,
      thread: digest.group.isEmpty ? "carillon" : digest.group)
  }

  /// Removes sound and light.
  mutating func makePassive() {
    level = .passive
    sound = nil
  }

  /// Appends the content as canonical JSON: keys ascending, no whitespace, no members for nil.
  ///
  /// In texts only the quotation mark, the backslash and control characters below U+0020 are
  /// escaped.
  func appendCanonicalJSON(to json: inout [UInt8]) {
    json += "{".utf8
    if let body { json.appendField("body", body) }
    json.appendName("data")
    json += "{".utf8
    for (key, value) in data.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      json.appendField(key, value)
    }
    json += "}".utf8
    if let level { json.appendField("level", level.rawValue) }
    if let sound { json.appendField("sound", sound) }
    json.appendField("thread", thread)
    json.appendField("title", title)
    json += "}".utf8
  }
}

extension [UInt8] {
  /// Appends a field to the open JSON object.
  fileprivate mutating func appendField(_ name: String, _ value: String) {
    appendName(name)
    appendString(value)
  }

  /// Appends a field's name, preceded by a comma unless it is the object's first.
  fileprivate mutating func appendName(_ name: String) {
    if last != UInt8(ascii: "{") { self += ",".utf8 }
    appendString(name)
    self += ":".utf8
  }

  /// Appends a text as a JSON string with the shortest escapes.
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

extension ScheduleZone {
  /// The zone's name, if the zone is fixed.
  fileprivate var name: String? {
    if case .fixed(let name) = self { name } else { nil }
  }
}

extension RequestTrigger.Shape {
  /// Creates a shape that fires once, at civil seconds.
  fileprivate static func at(civilSeconds seconds: Int) -> Self {
    let moment = CivilDateTime(civilSeconds: seconds)
    return .at(moment, second: seconds - moment.civilSeconds)
  }
}
