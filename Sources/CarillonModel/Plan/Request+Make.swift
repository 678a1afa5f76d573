internal import Crypto

extension Request {
  /// The request of a candidate, with the other occurrences for which it stands.
  init(_ candidate: Candidate, covering names: [OccurrenceID], on device: CivilCalendar) {
    let firing = candidate.firing
    let (habit, schedule) = (firing.schedule.habit, firing.schedule.schedule)
    let calendar = firing.schedule.timetable.range.calendar
    var isAbsolute = firing.isSnoozed
    if case .interval = schedule.rule { isAbsolute = !firing.isMoved }
    var (content, zone) = (RequestContent(of: schedule, habit: habit), schedule.civilZone)
    if firing.isPassive { content.makePassive() }
    if let digest = candidate.digest {
      content = RequestContent(of: digest)
      zone = .floating
      isAbsolute = false
    }
    let trigger =
      if let repeating = candidate.trigger {
        RequestTrigger(repeating, zone: repeating.isCivil ? zone.name : nil).description
      } else if isAbsolute, zone == .floating {
        RequestTrigger(.at(civilSeconds: candidate.fireAt.seconds), zone: "UTC").description
      } else {
        RequestTrigger(
          .at(
            civilSeconds: (zone == .floating ? device : calendar)
              .civilSeconds(at: candidate.fireAt)),
          zone: zone.name
        ).description
      }
    self.init(
      id: candidate.id.description, habit: habit.id, schedule: schedule.id, content: content,
      fireAt: candidate.fireAt, nominal: firing.localNominal, identity: firing.occurrence.identity,
      revision: firing.revision, alsoCovers: names, repeats: candidate.trigger != nil,
      trigger: trigger,
      fingerprint: Self.fingerprint(
        trigger: trigger + candidate.phaseSuffix, content: content))
  }

  /// The request that a place makes, named by a date.
  init(_ place: Region, of schedule: Schedule, _ habit: Habit, on today: CivilDate) {
    let trigger = RequestTrigger.Shape.place(place)
    let content = RequestContent(of: schedule, habit: habit)
    self.init(
      id: RequestID(habit: habit.id, schedule: schedule.id, trigger: trigger).description,
      habit: habit.id, schedule: schedule.id, content: content, fireAt: nil,
      nominal: CivilDateTime(date: today, time: .midnight), repeats: true,
      trigger: trigger.description,
      fingerprint: Self.fingerprint(trigger: trigger.description, content: content))
  }

  /// The request to open the app, before reminders are missed from one on.
  ///
  /// It carries that one's habit, schedule and nominal time, but no revision of it: it does not
  /// stand for it.
  init(
    opening replica: ReplicaID, at instant: Instant, before first: Candidate,
    on device: CivilCalendar
  ) {
    let content = RequestContent(
      title: RequestContent.openingTitle, thread: "carillon")
    let trigger = RequestTrigger(.at(civilSeconds: device.civilSeconds(at: instant))).description
    self.init(
      id: RequestID(opening: replica).description, habit: first.firing.schedule.habit.id,
      schedule: first.firing.schedule.schedule.id, content: content, fireAt: instant,
      nominal: first.firing.localNominal, identity: first.firing.occurrence.identity,
      revision: "open", repeats: false, trigger: trigger,
      fingerprint: Self.fingerprint(trigger: trigger, content: content))
  }

  /// The first 16 hex digits of SHA-256 over `"carillon.fingerprint.v1"`, the trigger, a zero byte
  /// and the content as JSON; of an interval that repeats the trigger with its phase.
  static func fingerprint(trigger: String, content: RequestContent) -> String {
    let bytes = Array("carillon.fingerprint.v1\(trigger)\0".utf8) + content.canonicalJSON
    return SHA256.hash(data: bytes).prefix(8).hexadecimal
  }
}

extension Candidate {
  /// Of what repeats every so many seconds a blank, a plus sign and the milliseconds by which its
  /// instants lie behind whole multiples since 1970; else empty.
  ///
  /// The trigger's text, from which the id is made, does not tell them, and they stay with time.
  fileprivate var phaseSuffix: String {
    guard case .every(let seconds) = trigger else { return "" }
    return " +\(fireAt.milliseconds.flooredDivision(by: Int64(seconds) * 1_000).remainder)"
  }
}

extension RequestContent {
  /// What a schedule shows: its own texts, or where it has none the habit's title and question.
  init(of schedule: Schedule, habit: Habit) {
    self.init(
      title: schedule.content.title ?? habit.title, body: schedule.content.body ?? habit.question,
      sound: schedule.content.sound, level: schedule.content.level,
      thread: schedule.thread ?? habit.id.description, data: schedule.content.data)
  }

  /// The title of the request to open the app.
  package static let openingTitle = "Open the app to keep your reminders"

  /// What a digest shows: how many there are, and of which habits.
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

  /// Takes sound and light from it.
  mutating func makePassive() {
    level = .passive
    sound = nil
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
    if let level { json.appendField("level", level.rawValue) }
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

extension ScheduleZone {
  /// The zone's name, where it is fixed.
  fileprivate var name: String? {
    if case .fixed(let name) = self { name } else { nil }
  }
}

extension RequestTrigger.Shape {
  /// Once, at civil seconds.
  fileprivate static func at(civilSeconds seconds: Int) -> Self {
    let moment = CivilDateTime(civilSeconds: seconds)
    return .at(moment, second: seconds - moment.civilSeconds)
  }
}
