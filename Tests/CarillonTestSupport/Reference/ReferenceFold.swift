package import CarillonModel
internal import CarillonWire

/// The merged state of events, computed in memory in the simplest way; projections are tested
/// against it.
///
/// It stores every fact in a dictionary or a set and examines all of them on each query. Events may
/// be applied in any order and more than once.
package struct ReferenceFold: Sendable {
  private var created: Set<HabitID> = []
  private var fields: [Key<HabitID, HabitField>: Register<HabitFieldValue>] = [:]
  private var archived: [HabitID: Register<Bool>] = [:]
  private var deletes: [HabitID: Set<EventID>] = [:]
  private var restores: [HabitID: Set<EventID>] = [:]
  private var schedules: [Key<HabitID, ScheduleID>: [EventID: ScheduleSet]] = [:]
  private var schedulePresence: [Key<HabitID, ScheduleID>: Register<Bool>] = [:]
  private var pauses: [PauseID: Register<Pause>] = [:]
  private var recordings: [EventID: EntryRecorded] = [:]
  private var voids: Set<Key<EntryID, EventID>> = []
  private var marks: [Key<HabitID, CivilDate>: Register<DayMark>] = [:]
  private var notes: [Key<HabitID, CivilDate>: Register<String?>] = [:]
  private var activity: [ReplicaID: CivilDate] = [:]
  private var descriptions: [ReplicaID: Register<DeviceDescription>] = [:]
  private var permissions: [ReplicaID: [EventID: PermissionChanged]] = [:]
  private var asked: [ReplicaID: [EventID: PermissionAsked]] = [:]
  private var switches: [Key<ReplicaID, String>: Register<Bool>] = [:]
  private var decidedNames: [ReplicaID: Register<String>] = [:]
  private var decidedRoles: [ReplicaID: Register<Device.Role>] = [:]
  private var retired: [ReplicaID: Register<Bool>] = [:]
  private var snoozes: [SnoozeKey: Register<Snooze>] = [:]
  private var settings: [String: Register<String?>] = [:]
  private var submissions: [ReplicaID: Register<PlanSubmitted>] = [:]
  /// The edits of each field that state what they replace.
  private var edits: [EditKey: [EventID: (replaces: [EventID], value: EditConflict.Value)]] = [:]
  /// The removals of each schedule.
  private var removals: [Key<HabitID, ScheduleID>: [EventID]] = [:]
  /// The edits that each deletion, each archival and each removal states as seen.
  private var seenBy: [EventID: [EventID]] = [:]
  /// The latest event of each replica.
  private var latest: [ReplicaID: EventID] = [:]
  /// All events with payloads; those that are covered by an erasure have no effect.
  private var told: [EventID: StoredEvent] = [:]
  private var erasures = ReferenceErasures()
  private(set) var facts = ReferenceFacts()
  /// The events of kinds that this build does not know.
  package private(set) var unknown: Set<EventID> = []
  /// The events whose payloads cannot be read.
  package private(set) var unreadable: Set<EventID> = []

  /// Creates a fold without events.
  package init() {}

  /// Applies one event.
  package mutating func apply(_ event: StoredEvent) {
    latest[event.replica] = max(latest[event.replica] ?? event.id, event.id)
    guard event.redacted == nil else { return }
    told[event.id] = event
    guard !event.timestamp.isBeyondClocks else {
      unreadable.insert(event.id)
      return
    }
    do {
      let payload = try PayloadCoding.decode(event.payload)
      if case .dataErased(let erasure) = payload, erasures.add(erasure, event.id) {
        return foldAgain()
      }
      if !erasures.cover(payload, of: event.id) { apply(payload, of: event) }
    } catch {
      unreadable.insert(event.id)
    }
  }

  /// Applies all events again, without those that are covered by an erasure.
  private mutating func foldAgain() {
    let (told, latest) = (told, latest)
    var fresh = ReferenceFold()
    fresh.erasures = erasures
    for event in told.values { fresh.apply(event) }
    fresh.latest = latest
    self = fresh
  }

  /// Returns the state, limited to the days of a range; nil includes all days.
  package func state(range: ClosedRange<CivilDate>? = nil) -> StoreState {
    StoreState(
      habits: Dictionary(uniqueKeysWithValues: created.map { ($0, habit($0)) }),
      scheduleCreated: schedules.reduce(into: [:]) { created, schedule in
        created[schedule.key.first, default: [:]][schedule.key.second] =
          schedule.value.keys.min()?.instant
      },
      days: days(in: range), receipts: receipts(in: range), pauses: pauses.mapValues(\.value),
      snoozes: snoozes(in: range), lastRecordings: lastRecordings(in: range),
      entryTimes: entryTimes(in: range),
      settings: StoreSettings(settingTexts: settings.compactMapValues(\.value)),
      devices: devices())
  }

  /// The notes on dates, by habit.
  package var dateNotes: [HabitID: [CivilDate: String]] {
    var texts: [HabitID: [CivilDate: String]] = [:]
    for (key, register) in notes { texts[key.first, default: [:]][key.second] = register.value }
    return texts.filter { !$0.value.isEmpty }
  }

  /// The edits that lost to concurrent ones.
  package var conflicts: Set<EditConflict> {
    var found: Set<EditConflict> = []
    for (key, edits) in edits {
      guard let winner = winner(key), let kept = edits[winner] else { continue }
      if let habit = key.habit {
        guard created.contains(habit) else { continue }
        let end = end(of: key, in: habit, hiding: winner, kept.replaces)
        if let end, !key.field.isNote {
          found.insert(
            EditConflict(
              habit: habit, field: key.field, lost: .init(event: winner, value: kept.value),
              kept: end))
        }
        if self.habit(habit).isDeleted || isRemoved(key) { continue }
        found.formUnion(lostRemovals(key, edits))
      }
      for (event, edit) in edits where event != winner && edit.value != kept.value {
        guard !edits.values.contains(where: { $0.replaces.contains(event) }) else { continue }
        found.insert(
          EditConflict(
            habit: key.habit, field: key.field, lost: .init(event: event, value: edit.value),
            kept: .init(event: winner, value: kept.value)))
      }
    }
    return found
  }

  /// Whether the schedule of a field is removed.
  private func isRemoved(_ key: EditKey) -> Bool { removal(of: key) != nil }

  private func removal(of key: EditKey) -> EventID? {
    guard case .schedule(let id, _) = key.field, let habit = key.habit,
      let presence = schedulePresence[Key(habit, id)], !presence.value
    else { return nil }
    return presence.event
  }

  /// The removals of the field's schedule that no edit of the schedule names, if this is the least
  /// field of the edit that brought the schedule back.
  private func lostRemovals(
    _ key: EditKey, _ edits: [EventID: (replaces: [EventID], value: EditConflict.Value)]
  ) -> [EditConflict] {
    guard case .schedule(let id, let field) = key.field, let habit = key.habit,
      let edit = schedulePresence[Key(habit, id)]?.event, let kept = edits[edit],
      let set = schedules[Key(habit, id)]?[edit], set.fields.map(\.number).min() == field.number
    else { return [] }
    let named = Set((schedules[Key(habit, id)] ?? [:]).values.flatMap(\.replaces))
    return (removals[Key(habit, id)] ?? [])
      .filter { !(seenBy[$0] ?? []).isEmpty && !named.contains($0) }
      .map {
        EditConflict(
          habit: habit, field: key.field, lost: .init(event: $0, value: .removed),
          kept: .init(event: edit, value: kept.value))
      }
  }

  /// Returns the event that deleted or archived a habit, or removed the schedule of a field,
  /// without knowledge of an edit.
  private func end(
    of key: EditKey, in id: HabitID, hiding edit: EventID, _ replaces: [EventID]
  ) -> EditConflict.Edit? {
    let deletes = (deletes[id] ?? []).subtracting(restores[id] ?? [])
    let removal = removal(of: key)
    if removal != nil, !deletes.isEmpty { return nil }
    let archival = archived[id]?.value == true ? archived[id]?.event : nil
    let ends = deletes.isEmpty ? Set([removal ?? archival].compactMap(\.self)) : deletes
    let value: EditConflict.Value =
      removal != nil ? .removed : deletes.isEmpty ? .archived : .deleted
    let stated = ends.filter { !(seenBy[$0] ?? []).isEmpty }
    let isKnown = stated.contains { end in
      let seen = seenBy[end] ?? []
      return seen.contains(edit) || replaces.contains(end)
        || seen.count == HabitFields.maxReplaced && seen.allSatisfy { $0 > edit }
    }
    return isKnown ? nil : stated.max().map { .init(event: $0, value: value) }
  }

  /// Returns the event that determines a field.
  private func winner(_ key: EditKey) -> EventID? {
    switch (key.field, key.habit) {
    case (.habit(let field), let habit?): return fields[Key(habit, field)]?.event
    case (.schedule(let id, let field), let habit?):
      return schedules[Key(habit, id)]?.filter { $0.value.fields.contains(field) }.keys.max()
    case (.note(let date), let habit?): return notes[Key(habit, date)]?.event
    case (.setting(let name), _): return settings[name.rawValue]?.event
    default: return nil
    }
  }

  private mutating func apply(_ payload: Payload, of event: StoredEvent) {
    let (id, replica) = (event.id, event.replica)
    switch payload {
    case .habitCreated(let fields):
      created.insert(fields.habit)
      apply(fields, id)
    case .habitEdited(let fields):
      apply(fields, id)
      for (field, value) in fields.values {
        noteEdit(id, fields.replaces, of: fields.habit, .habit(field), .habit(value))
      }
    case .habitArchivedSet(let set):
      archived.set(set.habit, set.isArchived, id)
      seenBy[id] = set.replaces
    case .habitDeleted(let deleted):
      deletes[deleted.habit, default: []].insert(id)
      seenBy[id] = deleted.replaces
    case .habitRestored(let restored):
      restores[restored.habit, default: []].formUnion(restored.deletes)
    case .scheduleSet(let set):
      schedules[Key(set.habit, set.schedule.id), default: [:]][id] = set
      schedulePresence.set(Key(set.habit, set.schedule.id), true, id)
      for field in set.fields {
        var value = Schedule.standard(set.schedule.id)
        value.set(field, from: set.schedule)
        let place = EditConflict.Field.schedule(set.schedule.id, field)
        noteEdit(id, set.replaces, of: set.habit, place, .schedule(value))
      }
    case .scheduleRemoved(let removed):
      schedulePresence.set(Key(removed.habit, removed.schedule), false, id)
      removals[Key(removed.habit, removed.schedule), default: []].append(id)
      seenBy[id] = removed.replaces
    case .entryRecorded(let recorded): recordings[id] = recorded
    case .entryVoided(let voided):
      for item in voided.items {
        for recording in item.recordings { voids.insert(Key(item.entry, recording)) }
      }
    case .dayMarked(let marked):
      var date = marked.first
      while date <= marked.last {
        marks.set(Key(marked.habit, date), marked.mark, id)
        date = date.adding(days: 1)
      }
    case .noteRecorded(let noted):
      notes.set(Key(noted.habit, noted.date), noted.text, id)
      noteEdit(id, noted.replaces, of: noted.habit, .note(noted.date), .text(noted.text))
    case .pauseSet(let pause): pauses.set(pause.id, pause, id)
    case .appActive(let active):
      activity[replica] = max(activity[replica] ?? active.date, active.date)
    case .permissionChanged(let changed): permissions[replica, default: [:]][id] = changed
    case .permissionAsked(let step): asked[replica, default: [:]][id] = step
    case .alertsSet(let alerts): apply(alerts, id)
    case .deviceSet(let set): apply(set, id)
    case .deviceDescribed(let description): descriptions.set(replica, description, id)
    case .itemObserved(let observed): facts.apply(observed, of: event)
    case .receiptAdvanced(let receipt): facts.apply(receipt, of: event)
    case .responseRecorded(let response): facts.apply(response, of: event)
    case .snoozeSet(let set): snoozes.set(SnoozeKey(set), set.snooze, id)
    case .settingsSet(let set):
      settings.set(set.name, set.value, id)
      guard let name = SettingName(rawValue: set.name) else { return }
      noteEdit(id, set.replaces, of: nil, .setting(name), .text(set.value))
    case .planSubmitted(let submitted): submissions.set(replica, submitted, id)
    // No state depends on events of the background or on the log's branches.
    case .wakeFinished, .pushTokenSet, .pushReceived, .importFinished, .dataErased,
      .branchesClosed:
      break
    case .unknown: unknown.insert(id)
    }
  }

  /// Notes an edit that says what it replaces; any other edit is never reported as lost.
  private mutating func noteEdit(
    _ event: EventID, _ replaces: [EventID], of habit: HabitID?, _ field: EditConflict.Field,
    _ value: EditConflict.Value
  ) {
    guard !replaces.isEmpty else { return }
    edits[EditKey(habit: habit, field: field), default: [:]][event] = (replaces, value)
  }

  private mutating func apply(_ alerts: AlertsSet, _ event: EventID) {
    if let isOn = alerts.isOn { switches.set(Key(alerts.device, "alerts"), isOn, event) }
    if let isOn = alerts.badgeIsOn { switches.set(Key(alerts.device, "badge"), isOn, event) }
    if let isOn = alerts.soundIsOn { switches.set(Key(alerts.device, "sound"), isOn, event) }
  }

  private mutating func apply(_ set: DeviceSet, _ event: EventID) {
    if let name = set.name { decidedNames.set(set.device, name, event) }
    if let role = set.role { decidedRoles.set(set.device, role, event) }
    if let isRetired = set.isRetired { retired.set(set.device, isRetired, event) }
  }

  private mutating func apply(_ edit: HabitFields, _ event: EventID) {
    for (field, value) in edit.values { fields.set(Key(edit.habit, field), value, event) }
  }

  // MARK: - The state's parts

  private func habit(_ id: HabitID) -> Habit {
    var habit = Habit(id: id, title: "")
    for (key, register) in fields where key.first == id { habit[key.second] = register.value }
    habit.isArchived = archived[id]?.value ?? false
    habit.isDeleted = !(deletes[id] ?? []).subtracting(restores[id] ?? []).isEmpty
    habit.schedules =
      schedules
      .filter { $0.key.first == id && schedulePresence[$0.key]?.value == true }
      .compactMap { ScheduleSet.merge($0.value.map { (event: $0.key, set: $0.value) }) }
      .sorted { $0.id < $1.id }
    return habit
  }

  /// Returns the entries that are not voided, each with its latest recording.
  private func entries(
    in range: ClosedRange<CivilDate>?
  ) -> [(event: EventID, recorded: EntryRecorded)] {
    var entries: [EntryID: [(event: EventID, recorded: EntryRecorded)]] = [:]
    for (event, recorded) in recordings where range?.contains(recorded.date) ?? true {
      let entry = recorded.kind.entryID(
        habit: recorded.habit, date: recorded.date, event: event)
      if !voids.contains(Key(entry, event)) {
        entries[entry, default: []].append((event, recorded))
      }
    }
    return entries.values.compactMap { live in live.max { $0.event < $1.event } }
  }

  private func entryTimes(in range: ClosedRange<CivilDate>?) -> [HabitID: [Instant]] {
    var times: [HabitID: [Instant]] = [:]
    for (event, recorded) in entries(in: range) where created.contains(recorded.habit) {
      guard habit(recorded.habit).schedules.contains(where: { $0.doneWithinSeconds != nil }) else {
        continue
      }
      times[recorded.habit, default: []].append(
        recorded.at ?? Instant(milliseconds: event.timestamp.milliseconds))
    }
    return times.mapValues { $0.sorted() }
  }

  private func snoozes(in range: ClosedRange<CivilDate>?) -> [HabitID: [Snooze]] {
    var held: [HabitID: [Snooze]] = [:]
    for (key, register) in snoozes {
      guard let until = register.value.until else { continue }
      if let range, !range.contains(register.value.nominal.date),
        until.milliseconds < Int64(range.lowerBound.rawValue) * 86_400_000
      {
        continue
      }
      var snooze = register.value
      snooze.event = register.event
      held[key.habit, default: []].append(snooze)
    }
    return held.mapValues {
      $0.sorted { ($0.schedule, $0.nominal, $0.number) < ($1.schedule, $1.nominal, $1.number) }
    }
  }

  private func lastRecordings(
    in range: ClosedRange<CivilDate>?
  ) -> [HabitID: [CivilDate: EventID]] {
    let snoozed = snoozes(in: range)
    var last: [HabitID: [CivilDate: EventID]] = [:]
    for (event, recorded) in entries(in: range) where snoozed[recorded.habit] != nil {
      let known = last[recorded.habit]?[recorded.date] ?? event
      last[recorded.habit, default: [:]][recorded.date] = max(known, event)
    }
    return last
  }

  private func days(in range: ClosedRange<CivilDate>?) -> [HabitID: StoreState.Days] {
    var days: [HabitID: StoreState.Days] = [:]
    for (_, latest) in entries(in: range) {
      var day = days[latest.habit]?[latest.date] ?? StoreState.Day()
      let (sum, isOver) = day.amount.thousandths.addingReportingOverflow(latest.value)
      day.amount = Amount(thousandths: isOver ? .max : sum)
      day.entryCount += 1
      days[latest.habit, default: [:]][latest.date] = day
    }
    for (key, register) in marks where range?.contains(key.second) ?? true {
      days[key.first, default: [:]][key.second, default: StoreState.Day()].mark = register.value
    }
    return days
  }

  private func receipts(
    in range: ClosedRange<CivilDate>?
  ) -> [HabitID: Set<OccurrenceReceipt>] {
    var receipts: [HabitID: Set<OccurrenceReceipt>] = [:]
    for fact in facts.decidingReceipts.values {
      guard case .occurrence(let occurrence) = fact.content.subject,
        range?.contains(occurrence.nominal.date) ?? true
      else { continue }
      receipts[occurrence.habit, default: []].insert(
        OccurrenceReceipt(
          occurrence, fact.content.state, fireAt: fact.content.fireAt, replica: fact.replica,
          recordedAt: fact.content.at ?? fact.event.instant))
    }
    return receipts
  }

  private func devices() -> [ReplicaID: Device] {
    let replicas = Set(activity.keys).union(descriptions.keys).union(permissions.keys)
      .union(asked.keys).union(switches.keys.map(\.first)).union(submissions.keys)
      .union(decidedNames.keys).union(decidedRoles.keys).union(retired.keys)
    var devices: [ReplicaID: Device] = [:]
    for replica in replicas {
      var device = Device(replica: replica)
      device.description = descriptions[replica]?.value
      device.describedBy = descriptions[replica]?.event
      if let submitted = submissions[replica] {
        device.coverageUntil = submitted.value.coverageUntil
        device.submittedAt = submitted.value.at ?? submitted.event.instant
      }
      device.lastSeen = latest[replica].map {
        Instant(milliseconds: $0.timestamp.milliseconds)
      }
      let changes = (permissions[replica] ?? [:]).sorted { $0.key < $1.key }
      for (event, changed) in changes.suffix(Retention.perSource) {
        device.note(changed.permission, at: changed.at ?? event.instant)
      }
      for (event, step) in asked[replica] ?? [:] {
        device.note(step, at: Instant(milliseconds: event.timestamp.milliseconds))
      }
      device.lastActive = activity[replica]
      device.alerts = Alerts(
        isOn: switches[Key(replica, "alerts")]?.value ?? false,
        badgeIsOn: switches[Key(replica, "badge")]?.value ?? false,
        soundIsOn: switches[Key(replica, "sound")]?.value ?? false)
      device.alertsSince = switches[Key(replica, "alerts")]?.event.instant
      if let name = decidedNames[replica] {
        device.givenName = GivenName(name.value, by: name.event)
        device.description?.name = name.value
      }
      if let role = decidedRoles[replica]?.value { device.description?.role = role }
      if let retired = retired[replica], retired.value {
        device.retiredSince = retired.event.instant
      }
      devices[replica] = device
    }
    return devices
  }
}

/// A key with two parts.
private struct Key<First: Hashable & Sendable, Second: Hashable & Sendable>: Hashable, Sendable {
  let first: First
  let second: Second

  init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }
}

/// What an edit sets.
private struct EditKey: Hashable, Sendable {
  /// Nil for a setting.
  let habit: HabitID?
  let field: EditConflict.Field
}

extension EditConflict.Field {
  fileprivate var isNote: Bool { if case .note = self { true } else { false } }
}

/// The occurrence that a snooze moves.
private struct SnoozeKey: Hashable, Sendable {
  let habit: HabitID
  let schedule: ScheduleID
  let nominal: CivilDateTime
  let number: Int

  init(_ set: SnoozeSet) {
    habit = set.habit
    schedule = set.snooze.schedule
    nominal = set.snooze.nominal
    number = set.snooze.number
  }
}

/// An LWW register: a value, and the event that set it.
private struct Register<Value: Sendable>: Sendable {
  let value: Value
  let event: EventID
}

extension Dictionary {
  /// Sets a register, unless an event with a greater ID already set it.
  fileprivate mutating func set<Content>(_ key: Key, _ value: Content, _ event: EventID)
  where Value == Register<Content> {
    if let known = self[key], known.event >= event { return }
    self[key] = Register(value: value, event: event)
  }
}
