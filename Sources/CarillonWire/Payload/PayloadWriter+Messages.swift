internal import CarillonModel
internal import Foundation
internal import SwiftProtobuf

/// The generated message of each kind. What has its default is not written.
extension PayloadWriter {
  static func habitFields(_ fields: HabitFields) -> Carillon_V1_HabitFields {
    var message = Carillon_V1_HabitFields()
    message.habit = data(fields.habit)
    for (field, value) in fields.values {
      if value == .none {
        message.cleared.append(field.rawValue)
      } else {
        set(field, value, of: &message)
      }
    }
    message.cleared.sort()
    return message
  }

  /// Sets one field to a value that was validated, and so has the field's type.
  private static func set(
    _ field: HabitField, _ value: HabitFieldValue, of message: inout Carillon_V1_HabitFields
  ) {
    let text = value.text ?? ""
    let integer = value.integer ?? 0
    switch field {
    case .title: message.title = text
    case .kind: message.kind = Habit.Kind(rawValue: text).map(named) ?? .yesNo
    case .unit: message.unit = text
    case .target: message.target = integer
    case .direction: message.direction = Habit.Direction(rawValue: text).map(named) ?? .atLeast
    case .group: message.group = text
    case .owner: message.owner = Habit.Owner(rawValue: text).map(named) ?? .phoneFirst
    case .start: message.start = Int32(clamping: integer)
    case .end: message.end = Int32(clamping: integer)
    case .goal: message.goal = goal(Goal(text))
    case .question: message.question = text
    case .notes: message.notes = text
    case .position: message.position = integer
    }
  }

  private static func goal(_ goal: Goal?) -> Carillon_V1_Goal {
    .with {
      $0.count = UInt32(clamping: goal?.count ?? 0)
      $0.days = UInt32(clamping: goal?.days ?? 0)
    }
  }

  static func slotSet(_ set: SlotSet) -> Carillon_V1_SlotSet {
    let slot = set.slot
    var message = Carillon_V1_SlotSet()
    message.habit = data(set.habit)
    message.slot = data(slot.id)
    message.times = slot.times.map { UInt32($0.minute) }
    if case .fixed(let zone) = slot.zone { message.zone = zone }
    message.unless = slot.unless.rawValue
    if let days = slot.stopAfterDays { message.stopAfterDays = UInt32(clamping: days) }
    if let title = slot.content.title { message.title = title }
    if let body = slot.content.body { message.body = body }
    if let sound = slot.content.sound { message.sound = sound }
    if let thread = slot.thread { message.thread = thread }
    message.data = slot.content.data.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { datum in
        .with {
          $0.key = datum.key
          $0.value = datum.value
        }
      }
    if let quota = slot.quota { message.quota = self.quota(quota) }
    if let seconds = slot.doneWithinSeconds {
      message.doneWithinSeconds = UInt32(clamping: seconds)
    }
    message.quietPolicy = named(slot.quietPolicy)
    if let level = slot.content.level { message.level = named(level) }
    message.rule = rule(slot.rule)
    return message
  }

  static func entryRecorded(_ entry: EntryRecorded) -> Carillon_V1_EntryRecorded {
    var message = Carillon_V1_EntryRecorded()
    message.habit = data(entry.habit)
    message.date = entry.date.rawValue
    switch entry.kind {
    case .mark: message.kind = .mark
    case .occurrence(let slot, let time):
      message.kind = .occurrence
      message.slot = data(slot)
      message.minute = UInt32(time.minute)
    case .imported(let source):
      message.kind = .imported
      message.source = source
    case .amount: message.kind = .amount
    }
    if entry.value != 1000 { message.value = entry.value }
    if let at = entry.at { message.at = at.milliseconds }
    if let note = entry.note { message.note = note }
    return message
  }

  static func entryVoided(_ voided: EntryVoided) -> Carillon_V1_EntryVoided {
    .with {
      $0.items = voided.items.map { item in
        .with {
          $0.entry = data(item.entry)
          $0.recordings = item.recordings.map { Data($0.bytes) }
        }
      }
    }
  }

  static func dayMarked(_ marked: DayMarked) -> Carillon_V1_DayMarked {
    .with {
      $0.habit = data(marked.habit)
      $0.from = marked.first.rawValue
      if marked.last != marked.first { $0.to = marked.last.rawValue }
      $0.mark = named(marked.mark)
    }
  }

  static func pauseSet(_ pause: Pause) -> Carillon_V1_PauseSet {
    .with {
      $0.pause = data(pause.id)
      if let habit = pause.habit { $0.habit = data(habit) }
      $0.from = pause.first.rawValue
      if let last = pause.last { $0.to = last.rawValue }
    }
  }

  static func permissionChanged(_ changed: PermissionChanged) -> Carillon_V1_PermissionChanged {
    .with {
      $0.status = named(changed.permission.status)
      $0.options = changed.permission.options.rawValue
      if let at = changed.at { $0.at = at.milliseconds }
    }
  }

  static func permissionAsked(_ asked: PermissionAsked) -> Carillon_V1_PermissionAsked {
    .with {
      $0.step = named(asked.step)
      $0.outcome = named(asked.outcome)
    }
  }

  static func alertsSet(_ alerts: AlertsSet) -> Carillon_V1_AlertsSet {
    .with {
      $0.device = data(alerts.device)
      if let isOn = alerts.isOn { $0.on = isOn }
      if let isOn = alerts.badgeIsOn { $0.badge = isOn }
      if let isOn = alerts.soundIsOn { $0.sound = isOn }
    }
  }

  static func deviceDescribed(_ device: DeviceDescription) -> Carillon_V1_DeviceDescribed {
    .with {
      $0.name = device.name
      $0.role = named(device.role)
      $0.zone = device.zone
      $0.zoneDataVersion = device.zoneDataVersion
      $0.capacity = UInt32(clamping: device.capacity)
      if let predecessor = device.predecessor { $0.predecessor = data(predecessor) }
    }
  }

  static func branchesClosed(_ closed: BranchesClosed) -> Carillon_V1_BranchesClosed {
    .with {
      $0.replicas = Data(closed.heads.flatMap(\.replica.bytes))
      $0.sequences = closed.heads.map(\.sequence.rawValue)
      $0.ids = Data(closed.heads.flatMap(\.id.bytes))
    }
  }

  static func dataErased(_ parts: ErasureParts) -> Carillon_V1_DataErased {
    .with {
      if let habit = parts.habit { $0.habit = data(habit) }
      if let source = parts.source { $0.source = source }
      if let habit = parts.receiptsOf { $0.receiptsOf = data(habit) }
      if let last = parts.upTo { $0.upTo = Data(last.bytes) }
    }
  }
}
