/// What an event says, decoded: one case per kind of the vocabulary (`protocol/EVENTS.md`).
public enum Payload: Hashable, Sendable {
  case habitCreated(HabitFields)
  case habitEdited(HabitFields)
  case habitArchivedSet(HabitArchivedSet)
  case habitDeleted(HabitDeleted)
  case habitRestored(HabitRestored)
  case slotSet(SlotSet)
  case slotRemoved(SlotRemoved)
  case entryRecorded(EntryRecorded)
  case entryVoided(EntryVoided)
  case dayMarked(DayMarked)
  case pauseSet(Pause)
  case snoozeSet(SnoozeSet)
  case itemObserved(ItemObserved)
  case receiptAdvanced(ReceiptAdvanced)
  case responseRecorded(ResponseRecorded)
  case planSubmitted(PlanSubmitted)
  case appActive(AppActive)
  case wakeFinished(WakeFinished)
  case permissionChanged(PermissionChanged)
  case permissionAsked(PermissionAsked)
  case alertsSet(AlertsSet)
  case pushTokenSet(PushTokenSet)
  case pushReceived(PushReceived)
  case deviceDescribed(DeviceDescription)
  case settingsSet(SettingsSet)
  case importFinished(ImportFinished)
  case dataErased(Erasure)
  case branchesClosed(BranchesClosed)
  /// A kind that this build does not know. It is kept, counted, and sent on.
  case unknown(kind: UInt32)

  /// The kind's number in the vocabulary: the field of the protobuf oneof.
  public var kindNumber: UInt32 {
    switch self {
    case .habitCreated: 1
    case .habitEdited: 2
    case .habitArchivedSet: 3
    case .habitDeleted: 4
    case .habitRestored: 5
    case .slotSet: 6
    case .slotRemoved: 7
    case .entryRecorded: 8
    case .entryVoided: 9
    case .dayMarked: 10
    case .pauseSet: 11
    case .snoozeSet: 12
    case .itemObserved: 13
    case .receiptAdvanced: 14
    case .responseRecorded: 15
    case .planSubmitted: 16
    case .appActive: 17
    case .wakeFinished: 18
    case .permissionChanged: 19
    case .permissionAsked: 20
    case .alertsSet: 21
    case .pushTokenSet: 22
    case .pushReceived: 23
    case .deviceDescribed: 24
    case .settingsSet: 25
    case .importFinished: 26
    case .dataErased: 27
    case .branchesClosed: 28
    case .unknown(let kind): kind
    }
  }

  /// The kind's name in JSON, such as `entry.recorded`.
  public var typeName: String {
    switch self {
    case .habitCreated: "habit.created"
    case .habitEdited: "habit.edited"
    case .habitArchivedSet: "habit.archivedSet"
    case .habitDeleted: "habit.deleted"
    case .habitRestored: "habit.restored"
    case .slotSet: "slot.set"
    case .slotRemoved: "slot.removed"
    case .entryRecorded: "entry.recorded"
    case .entryVoided: "entry.voided"
    case .dayMarked: "day.marked"
    case .pauseSet: "pause.set"
    case .snoozeSet: "snooze.set"
    case .itemObserved: "item.observed"
    case .receiptAdvanced: "receipt.advanced"
    case .responseRecorded: "response.recorded"
    case .planSubmitted: "plan.submitted"
    case .appActive: "app.active"
    case .wakeFinished: "wake.finished"
    case .permissionChanged: "permission.changed"
    case .permissionAsked: "permission.asked"
    case .alertsSet: "alerts.set"
    case .pushTokenSet: "push.tokenSet"
    case .pushReceived: "push.received"
    case .deviceDescribed: "device.described"
    case .settingsSet: "settings.set"
    case .importFinished: "import.finished"
    case .dataErased: "data.erased"
    case .branchesClosed: "branches.closed"
    case .unknown(let kind): "unknown.\(kind)"
    }
  }
}

/// Fields of one habit, each a register: the field's value in the event with the greatest ID holds.
///
/// The same shape creates and edits a habit; an edit names only what changed.
public struct HabitFields: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// The fields that are set, with their values.
  public var values: [HabitField: HabitFieldValue]

  /// Makes a value of its parts.
  public init(habit: HabitID, values: [HabitField: HabitFieldValue]) {
    self.habit = habit
    self.values = values
  }

  /// What creates a habit: every field that has not its default.
  public init(creating habit: Habit) {
    let blank = Habit(id: habit.id, title: "")
    self.init(from: blank, to: habit)
  }

  /// What turns one value of a habit into another: the fields that differ.
  public init(from old: Habit, to new: Habit) {
    habit = new.id
    let changed = HabitField.allCases.filter { old[$0] != new[$0] }
    values = Dictionary(uniqueKeysWithValues: changed.map { ($0, new[$0]) })
  }
}

/// Hides a habit, or shows it again.
///
/// A register per habit.
public struct HabitArchivedSet: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// True hides it.
  public var isArchived: Bool

  /// Makes a value of its parts.
  public init(habit: HabitID, isArchived: Bool) {
    self.habit = habit
    self.isArchived = isArchived
  }
}

/// Deletes a habit.
///
/// Removal by name: it holds until a `habit.restored` names this event.
public struct HabitDeleted: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID

  /// Makes a value of its parts.
  public init(habit: HabitID) {
    self.habit = habit
  }
}

/// Takes deletes back: exactly those it names.
public struct HabitRestored: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// The IDs of the `habit.deleted` events; 1 to 100.
  public var deletes: [EventID]

  /// Makes a value of its parts.
  public init(habit: HabitID, deletes: [EventID]) {
    self.habit = habit
    self.deletes = deletes
  }
}

/// Sets a slot, whole.
///
/// A register per (habit, slot), shared with `slot.removed`.
public struct SlotSet: Hashable, Sendable {
  /// The slot's habit.
  public var habit: HabitID
  /// The slot, whole.
  public var slot: Slot

  /// Makes a value of its parts.
  public init(habit: HabitID, slot: Slot) {
    self.habit = habit
    self.slot = slot
  }
}

/// Removes a slot.
///
/// The same register as `slot.set`.
public struct SlotRemoved: Hashable, Sendable {
  /// The slot's habit.
  public var habit: HabitID
  /// The slot that goes.
  public var slot: SlotID

  /// Makes a value of its parts.
  public init(habit: HabitID, slot: SlotID) {
    self.habit = habit
    self.slot = slot
  }
}

/// Records that something was done on a date.
///
/// A grow set of (entry, event).
public struct EntryRecorded: Hashable, Sendable {
  /// The habit that was done.
  public var habit: HabitID
  /// The date for which it counts.
  public var date: CivilDate
  /// What the entry is of.
  public var kind: EntryKind
  /// Thousandths, 0...10^12; 1000 is done once, and is not written.
  public var value: Int64
  /// When it was done; nil where that is the event's own millisecond, and then not written.
  public var at: Instant?
  /// At most 2,000 bytes.
  public var note: String?

  /// Makes a value of its parts.
  public init(
    habit: HabitID, date: CivilDate, kind: EntryKind = .mark, value: Int64 = 1000,
    at: Instant? = nil, note: String? = nil
  ) {
    self.habit = habit
    self.date = date
    self.kind = kind
    self.value = value
    self.at = at
    self.note = note
  }
}

/// Takes recordings of entries back.
///
/// Removal by name: an entry lives while one recording of it is not named by any void.
public struct EntryVoided: Hashable, Sendable {
  /// One entry and the recordings of it that the writer saw.
  public struct Item: Hashable, Sendable {
    /// The entry.
    public var entry: EntryID
    /// 1 to 100.
    public var recordings: [EventID]

    /// Makes a value of its parts.
    public init(entry: EntryID, recordings: [EventID]) {
      self.entry = entry
      self.recordings = recordings
    }
  }

  /// 1 to 100.
  public var items: [Item]

  /// Makes a value of its parts.
  public init(items: [Item]) {
    self.items = items
  }
}

/// Marks dates of a habit.
///
/// A register per (habit, date).
public struct DayMarked: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// The first date.
  public var first: CivilDate
  /// At most 399 days after `first`.
  public var last: CivilDate
  /// What is said of the dates.
  public var mark: DayMark

  /// Makes a value of its parts.
  public init(habit: HabitID, first: CivilDate, last: CivilDate, mark: DayMark) {
    self.habit = habit
    self.first = first
    self.last = last
    self.mark = mark
  }

  /// The most dates one event may mark.
  public static let maxDays = 400
}

/// Somebody used the app.
///
/// The greatest date counts.
public struct AppActive: Hashable, Sendable {
  /// The logical date.
  public var date: CivilDate

  /// Makes a value of its parts.
  public init(date: CivilDate) {
    self.date = date
  }
}

/// What the writing device's system lets it show from a moment on.
///
/// A grow set of events, of which projections keep the newest 1,000 of a replica; the one with the
/// greatest event ID holds.
public struct PermissionChanged: Hashable, Sendable {
  /// What may be shown.
  public var permission: Permission
  /// When; nil where that is the event's own millisecond, and then not written.
  public var at: Instant?

  /// Makes a value of its parts.
  public init(_ permission: Permission, at: Instant? = nil) {
    self.permission = permission
    self.at = at
  }
}

/// The person was asked for permission.
///
/// `prompted` is a grow set per replica: once is for ever.
public struct PermissionAsked: Hashable, Sendable {
  /// What was shown.
  public enum Step: String, Hashable, Sendable, CaseIterable {
    /// The app's own screen, which may be shown again.
    case primed
    /// The system's prompt, which may not.
    case prompted
  }

  /// What the person said.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    case unknown, yes, no
  }

  /// How far the asking went.
  public var step: Step
  /// What the person answered.
  public var outcome: Outcome

  /// Makes a value of its parts.
  public init(step: Step, outcome: Outcome = .unknown) {
    self.step = step
    self.outcome = outcome
  }
}

/// Turns a device's switches.
///
/// A register per (device, switch); any device may write it.
public struct AlertsSet: Hashable, Sendable {
  /// The device whose switches they are.
  public var device: ReplicaID
  /// Whether reminders are shown.
  public var isOn: Bool?
  /// Whether the icon carries a number.
  public var badgeIsOn: Bool?
  /// Whether reminders sound.
  public var soundIsOn: Bool?

  /// Makes a value of its parts.
  public init(
    device: ReplicaID, isOn: Bool? = nil, badgeIsOn: Bool? = nil, soundIsOn: Bool? = nil
  ) {
    self.device = device
    self.isOn = isOn
    self.badgeIsOn = badgeIsOn
    self.soundIsOn = soundIsOn
  }
}
