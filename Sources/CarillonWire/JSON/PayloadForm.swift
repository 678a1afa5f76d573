internal import CarillonModel

/// The fields of each kind of payload in JSON, in the order of `protocol/EVENTS.md`.
///
/// Every function both writes and reads: see ``JSONForm``.
enum PayloadForm {
  /// One payload of each kind, to be filled by reading.
  static let blanks: [Payload] = {
    let habit = HabitID(high: 0, low: 0)
    let date = CivilDate(rawValue: 0)
    let slot = Slot(id: SlotID(high: 0, low: 0), rule: .once(date), times: [])
    return [
      .habitCreated(HabitFields(habit: habit, values: [:])),
      .habitEdited(HabitFields(habit: habit, values: [:])),
      .habitArchivedSet(HabitArchivedSet(habit: habit, isArchived: false)),
      .habitDeleted(HabitDeleted(habit: habit)),
      .habitRestored(HabitRestored(habit: habit, deletes: [])),
      .slotSet(SlotSet(habit: habit, slot: slot)),
      .slotRemoved(SlotRemoved(habit: habit, slot: slot.id)),
      .entryRecorded(EntryRecorded(habit: habit, date: date)),
      .entryVoided(EntryVoided(items: [])),
      .dayMarked(DayMarked(habit: habit, first: date, last: date, mark: .clear)),
      .pauseSet(Pause(id: PauseID(high: 0, low: 0), habit: nil, first: date, last: nil)),
      .appActive(AppActive(date: date)),
      .permissionChanged(PermissionChanged(Permission())),
      .permissionAsked(PermissionAsked(step: .primed)),
      .alertsSet(AlertsSet(device: ReplicaID(high: 0, low: 0))),
      .deviceDescribed(
        DeviceDescription(name: "", role: .phone, zone: "", zoneDataVersion: "", capacity: 0)),
    ] + receiptBlanks + planningBlanks
  }()

  static func fields(
    of payload: inout Payload, _ form: inout JSONForm
  ) throws(ModelError) {
    switch payload {
    case .habitCreated(var value):
      try habitFields(&value, &form)
      payload = .habitCreated(value)
    case .habitEdited(var value):
      try habitFields(&value, &form)
      payload = .habitEdited(value)
    case .habitArchivedSet(var value):
      try form.required("habit", &value.habit)
      try form.required("archived", &value.isArchived)
      payload = .habitArchivedSet(value)
    case .habitDeleted(var value):
      try form.required("habit", &value.habit)
      payload = .habitDeleted(value)
    case .habitRestored(var value):
      try form.required("habit", &value.habit)
      try form.required("deletes", &value.deletes)
      payload = .habitRestored(value)
    case .slotSet(var value):
      try slotSet(&value, &form)
      payload = .slotSet(value)
    case .slotRemoved(var value):
      try form.required("habit", &value.habit)
      try form.required("slot", &value.slot)
      payload = .slotRemoved(value)
    case .entryRecorded(var value):
      try entryRecorded(&value, &form)
      payload = .entryRecorded(value)
    case .entryVoided(var value):
      try entryVoided(&value, &form)
      payload = .entryVoided(value)
    default: try laterFields(of: &payload, &form)
    }
  }

  /// The kinds from `day.marked` on.
  private static func laterFields(
    of payload: inout Payload, _ form: inout JSONForm
  ) throws(ModelError) {
    switch payload {
    case .dayMarked(var value):
      try dayMarked(&value, &form)
      payload = .dayMarked(value)
    case .pauseSet(var value):
      try pauseSet(&value, &form)
      payload = .pauseSet(value)
    case .appActive(var value):
      try form.required("date", &value.date)
      payload = .appActive(value)
    case .permissionChanged(var value):
      try form.required("status", &value.permission.status)
      try form.defaulted("options", &value.permission.options, [])
      try form.optional("at", &value.at)
      payload = .permissionChanged(value)
    case .permissionAsked(var value):
      try form.required("step", &value.step)
      try form.defaulted("outcome", &value.outcome, .unknown)
      payload = .permissionAsked(value)
    case .alertsSet(var value):
      try alertsSet(&value, &form)
      payload = .alertsSet(value)
    case .deviceDescribed(var value):
      try deviceDescribed(&value, &form)
      payload = .deviceDescribed(value)
    default: try receiptFields(of: &payload, &form)
    }
  }
}

// MARK: - Entries, marks and pauses

extension PayloadForm {
  private static func entryRecorded(
    _ entry: inout EntryRecorded, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("habit", &entry.habit)
    try form.required("date", &entry.date)
    var kind = EntryKindName(entry.kind)
    try form.defaulted("kind", &kind, .mark)
    switch kind {
    case .mark: entry.kind = .mark
    case .amount: entry.kind = .amount
    case .occurrence:
      var (slot, time) = (SlotID(high: 0, low: 0), TimeOfDay("00:00"))
      if case .occurrence(let knownSlot, let knownTime) = entry.kind {
        (slot, time) = (knownSlot, knownTime)
      }
      try form.required("slot", &slot)
      try form.required("time", &time)
      entry.kind = .occurrence(slot: slot, time: time)
    case .imported:
      var source = ""
      if case .imported(let known) = entry.kind { source = known }
      try form.required("source", &source)
      entry.kind = .imported(source: source)
    }
    try form.defaulted("value", &entry.value, 1000)
    try form.optional("at", &entry.at)
    try form.optional("note", &entry.note)
  }

  private static func entryVoided(
    _ voided: inout EntryVoided, _ form: inout JSONForm
  ) throws(ModelError) {
    let blank = EntryVoided.Item(entry: EntryID(high: 0, low: 0), recordings: [])
    try form.nested("entries", &voided.items, blank: blank) { item, form throws(ModelError) in
      try form.required("entry", &item.entry)
      try form.required("recordings", &item.recordings)
    }
  }

  private static func dayMarked(
    _ marked: inout DayMarked, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("habit", &marked.habit)
    try form.required("from", &marked.first)
    try form.defaulted("to", &marked.last, marked.first)
    try form.required("mark", &marked.mark)
  }

  private static func pauseSet(_ pause: inout Pause, _ form: inout JSONForm) throws(ModelError) {
    var id = pause.id
    try form.required("pause", &id)
    pause = Pause(id: id, habit: pause.habit, first: pause.first, last: pause.last)
    try form.optional("habit", &pause.habit)
    try form.required("from", &pause.first)
    try form.optional("to", &pause.last)
  }
}

/// How an entry's kind is written.
private enum EntryKindName: String, JSONNamed {
  case mark, occurrence, imported, amount

  init(_ kind: EntryKind) {
    self =
      switch kind {
      case .mark: .mark
      case .occurrence: .occurrence
      case .imported: .imported
      case .amount: .amount
      }
  }
}

// MARK: - Devices

extension PayloadForm {
  private static func alertsSet(
    _ alerts: inout AlertsSet, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("device", &alerts.device)
    try form.optional("on", &alerts.isOn)
    try form.optional("badge", &alerts.badgeIsOn)
    try form.optional("sound", &alerts.soundIsOn)
  }

  private static func deviceDescribed(
    _ device: inout DeviceDescription, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("deviceName", &device.name)
    try form.required("role", &device.role)
    try form.required("zone", &device.zone)
    try form.required("zoneDataVersion", &device.zoneDataVersion)
    try form.required("capacity", &device.capacity)
    try form.optional("predecessor", &device.predecessor)
  }
}
