package import CarillonModel
internal import CarillonWire

/// Generates random payloads for property tests: any valid payload, or one that continues a
/// history.
///
/// The same seed generates the same payloads:
///
/// ```swift
/// var generator = PayloadGenerator(SeededGenerator(seed: 7))
/// let bytes = try generator.encode(generator.payload())
/// ```
package struct PayloadGenerator<Random: RandomNumberGenerator> {
  /// The source of randomness; a test may use it for other choices.
  package var random: Random
  /// The events observed so far; see ``observe(_:as:)``.
  private var seen = SeenHistory()

  /// Creates a generator that has observed no events.
  package init(_ random: Random) {
    self.random = random
  }

  /// Returns a valid payload of any kind.
  ///
  /// Every field may have any value within its limits. About one payload in 30 has a kind that this
  /// build does not know.
  package mutating func payload() -> Payload {
    let kinds = Payload.Kind.allCases
    guard let kind = pick(kinds + [nil]) ?? nil else { return .unknown(kind: unknownKind()) }
    return payload(of: kind)
  }

  /// Returns a valid payload of a kind.
  ///
  /// Every field may have any value within its limits.
  mutating func payload(of kind: Payload.Kind) -> Payload {
    for _ in 0..<Self.maxAttempts {
      var fields = RandomFields(self)
      defer { random = fields.generator.random }
      do throws(ModelError) {
        let payload = try kind.type.payload(reading: &fields)
        try payload.validate()
        return payload
      } catch {
        // The fields do not match each other.
        continue
      }
    }
    preconditionFailure("no random \(kind.name) is valid")
  }

  /// More attempts than any kind needs.
  private static var maxAttempts: Int { 1_000 }

  /// Returns a payload that a person and their devices might write after the observed events.
  ///
  /// It uses few habits and few dates, so that payloads affect each other. Payloads that void or
  /// restore name events that were observed.
  package mutating func next() -> Payload {
    guard seen.habits.count >= 2 else { return newHabit() }
    switch int(1...100) {
    case 1...25: return .entryRecorded(nearEntry())
    case 26...32: return .itemObserved(nearItems())
    case 33...41: return nearReceipt(pick(seen.schedules))
    case 42...44: return nearBackground()
    case 45...48: return nearPlanning(habit(), pick(seen.schedules))
    case 49...58: return undo() ?? .entryRecorded(nearEntry())
    case 59...64: return .dayMarked(nearMark())
    case 65...66: return .noteRecorded(nearNote())
    case 67...74: return .scheduleSet(nearSchedule())
    case 75...76: return removeSchedule() ?? .scheduleSet(nearSchedule())
    case 77...79: return edit()
    case 80...81:
      var set = HabitArchivedSet(habit: habit(), isArchived: bool())
      set.replaces = nearReplaced(set.habit)
      return .habitArchivedSet(set)
    case 82...83:
      var deleted = HabitDeleted(habit: habit())
      deleted.replaces = nearReplaced(deleted.habit)
      return .habitDeleted(deleted)
    case 84...86: return restore() ?? newHabit()
    case 87...89: return nearPause()
    case 90...94: return .appActive(AppActive(date: nearDate()))
    case 95...96: return device()
    case 97: return nearErasure()
    case 98: return newHabit()
    default: return .unknown(kind: unknownKind())
    }
  }

  /// Records an event, so that ``next()`` may refer to it.
  package mutating func observe(_ payload: Payload, as event: EventID) {
    seen.observe(payload, as: event)
  }

  /// Returns the bytes of a payload.
  ///
  /// An unknown kind gets random content.
  ///
  /// - Throws: `ModelError` for a payload that breaks a limit; none of this generator's does.
  package mutating func encode(_ payload: Payload) throws -> [UInt8] {
    guard case .unknown(let kind) = payload else { return try PayloadCoding.encode(payload) }
    let content = array(0...40) { $0.byte() }
    return varint(UInt64(kind) << 3 | 2) + varint(UInt64(content.count)) + content
  }
}

// MARK: - Payloads that continue the observed history

extension PayloadGenerator {
  private mutating func newHabit() -> Payload {
    var habit = Habit(id: id(), title: text(1...30))
    habit.kind = element()
    habit.target = habit.kind == .count ? Amount(thousandths: Int64(int(1...5)) * 1_000) : nil
    habit.owner = element()
    return .habitCreated(HabitFields(creating: habit))
  }

  mutating func habit() -> HabitID { pick(seen.habits) ?? id() }

  /// Returns an event that was observed.
  mutating func event() -> EventID? { pick(seen.events) }

  /// Returns a date within three weeks from 2026-11-09.
  mutating func nearDate() -> CivilDate {
    CivilDate(rawValue: Int32(int(20_766...20_786)))
  }

  private mutating func nearEntry() -> EntryRecorded {
    var entry = EntryRecorded(habit: habit(), date: nearDate())
    switch int(1...10) {
    case 1...6: break
    case 7: entry.kind = .amount
    case 8: entry.kind = .imported(source: pick(["loop", "csv"]) ?? "loop")
    default:
      if let (habit, schedule) = pick(seen.schedules) {
        entry.habit = habit
        entry.kind = .occurrence(schedule: schedule, time: nearTime())
      }
    }
    if int(1...4) == 1 { entry.value = Int64(int(0...4)) * 500 }
    return entry
  }

  private mutating func undo() -> Payload? {
    guard let entry = pick(seen.entries) else { return nil }
    let recordings = seen.recordings[entry] ?? []
    let count = int(1...Swift.min(recordings.count, 3))
    return .entryVoided(
      EntryVoided(items: [.init(entry: entry, recordings: recordings.suffix(count).sorted())]))
  }

  private mutating func nearMark() -> DayMarked {
    let first = nearDate()
    return DayMarked(
      habit: habit(), first: first, last: first.adding(days: int(0...3)), mark: element())
  }

  private mutating func nearNote() -> NoteRecorded {
    var note = NoteRecorded(
      habit: habit(), date: nearDate(), text: pick([nil, "A walk", "At last: \u{1F6B6}"]) ?? nil)
    note.replaces = nearReplaced(note.habit)
    return note
  }

  mutating func nearTime() -> TimeOfDay {
    pick(["07:30", "12:00", "17:00", "21:15"] as [TimeOfDay]) ?? "12:00"
  }

  private mutating func nearSchedule() -> ScheduleSet {
    let known = int(1...2) == 1 ? pick(seen.schedules) : nil
    let rules: [Schedule.Rule] = [
      .weekly(Set(Weekday.allCases)), .weekly([.monday, .friday]),
      .everyDays(int(1...4), from: nearDate()), .once(nearDate()), nearInterval(),
    ]
    let schedule = Schedule(
      id: known?.schedule ?? id(), rule: pick(rules) ?? .weekly([.monday]),
      times: array(0...2) { $0.nearTime() }, unless: bool() ? .done : .none,
      doneWithin: int(1...3) == 1 ? .seconds(3_000) : nil)
    guard let known, bool() else {
      return ScheduleSet(habit: known?.habit ?? habit(), schedule: schedule)
    }
    var set = ScheduleSet(
      habit: known.habit, schedule: schedule,
      fields: ScheduleField.allCases.filter { _ in int(1...3) == 1 })
    set.replaces = nearReplaced(known.habit)
    return set
  }

  private mutating func removeSchedule() -> Payload? {
    guard let known = pick(seen.schedules) else { return nil }
    var removed = ScheduleRemoved(habit: known.habit, schedule: known.schedule)
    removed.replaces = nearReplaced(known.habit)
    return .scheduleRemoved(removed)
  }

  private mutating func edit() -> Payload {
    var fields = HabitFields(habit: habit(), values: [:])
    switch int(1...4) {
    case 1: fields.values[.title] = .text(text(1...30))
    case 2: fields.values[.notes] = bool() ? HabitFieldValue.none : .text(text(0...50))
    case 3: fields.values[.end] = bool() ? HabitFieldValue.none : .integer(20_780)
    default: fields.values[.owner] = .text((element() as Habit.Owner).rawValue)
    }
    fields.replaces = nearReplaced(fields.habit)
    return .habitEdited(fields)
  }

  /// Returns some of the observed edits of a habit, or of the settings, often the latest.
  mutating func nearReplaced(_ habit: HabitID?) -> [EventID] {
    let edits = habit.map { seen.edits[$0] ?? [] } ?? seen.settings
    let replaced = bool() ? edits.suffix(int(0...2)) : edits.filter { _ in int(1...4) == 1 }[...]
    return replaced.suffix(HabitFields.maxReplaced).sorted()
  }

  private mutating func restore() -> Payload? {
    guard let habit = pick(seen.deletes.keys.sorted()), let deletes = seen.deletes[habit] else {
      return nil
    }
    let named = bool() ? deletes.suffix(100) : deletes.suffix(1)
    return .habitRestored(HabitRestored(habit: habit, deletes: named.sorted()))
  }

  private mutating func nearPause() -> Payload {
    let first = nearDate()
    let known = bool() ? pick(seen.pauses) : nil
    return .pauseSet(
      Pause(
        id: known ?? id(), habit: int(1...3) == 1 ? nil : habit(), first: first,
        last: bool() ? first.adding(days: int(-1...7)) : nil))
  }

  private mutating func device() -> Payload {
    let kinds: [Payload.Kind] = [
      .permissionChanged, .permissionAsked, .alertsSet, .deviceDescribed, .deviceSet,
    ]
    return payload(of: pick(kinds) ?? .alertsSet)
  }
}

/// The events that a generator observed, in order.
private struct SeenHistory {
  var habits: [HabitID] = []
  var schedules: [(habit: HabitID, schedule: ScheduleID)] = []
  var entries: [EntryID] = []
  var recordings: [EntryID: [EventID]] = [:]
  var deletes: [HabitID: [EventID]] = [:]
  var pauses: [PauseID] = []
  /// The events that created or edited each habit, or set one of its schedules.
  var edits: [HabitID: [EventID]] = [:]
  /// The events that set a setting.
  var settings: [EventID] = []
  var events: [EventID] = []

  mutating func observe(_ payload: Payload, as event: EventID) {
    events.append(event)
    switch payload {
    case .habitCreated(let fields):
      if !habits.contains(fields.habit) { habits.append(fields.habit) }
      edits[fields.habit, default: []].append(event)
    case .habitEdited(let fields): edits[fields.habit, default: []].append(event)
    case .scheduleSet(let set):
      edits[set.habit, default: []].append(event)
      if !schedules.contains(where: { $0.schedule == set.schedule.id }) {
        schedules.append((set.habit, set.schedule.id))
      }
    case .entryRecorded(let entry):
      let id = entry.kind.entryID(habit: entry.habit, date: entry.date, event: event)
      if recordings[id] == nil { entries.append(id) }
      recordings[id, default: []].append(event)
    case .habitDeleted(let deleted): deletes[deleted.habit, default: []].append(event)
    case .pauseSet(let pause):
      if !pauses.contains(pause.id) { pauses.append(pause.id) }
    case .noteRecorded(let noted): edits[noted.habit, default: []].append(event)
    case .settingsSet: settings.append(event)
    case .habitArchivedSet(let set): edits[set.habit, default: []].append(event)
    case .scheduleRemoved(let removed): edits[removed.habit, default: []].append(event)
    case .habitRestored, .entryVoided, .dayMarked,
      .snoozeSet, .itemObserved, .receiptAdvanced, .responseRecorded, .planSubmitted, .appActive,
      .wakeFinished, .permissionChanged, .permissionAsked, .alertsSet, .pushTokenSet,
      .pushReceived, .deviceDescribed, .importFinished, .dataErased, .branchesClosed, .deviceSet,
      .unknown:
      break
    }
  }
}
