import Carillon
import Foundation

/// What events are about, in a few words for people.
struct HabitTitles {
  private var titles: [HabitID: String] = [:]
  /// The slots that follow an interval, whose occurrences are named by UTC.
  private var intervals: [SlotID: SlotZone] = [:]

  /// None.
  init() {}

  init(_ store: Store) async throws {
    let habits = try await store.habits(includingArchived: true, includingDeleted: true)
    for habit in habits {
      titles[habit.id] = habit.title
      for slot in habit.slots {
        if case .interval = slot.rule { intervals[slot.id] = slot.zone }
      }
    }
  }

  /// The same as people read it: an occurrence of an interval by the slot's clock.
  func local(_ subject: ReceiptSubject, _ time: LocalTime) -> ReceiptSubject {
    guard case .occurrence(let habit, let slot, let nominal) = subject,
      let zone = intervals[slot]
    else { return subject }
    var clock = time.zone
    if case .fixed(let name) = zone { clock = TimeZone(identifier: name) ?? clock }
    let minutes = Int64(nominal.date.rawValue) * 1_440 + Int64(nominal.time.minute)
    let shown = CivilCalendar(zone: clock).dateTime(at: Instant(milliseconds: minutes * 60_000))
    return .occurrence(habit: habit, slot: slot, nominal: shown)
  }

  /// Learns the title that an event gives a habit.
  mutating func observe(_ payload: Payload?) {
    switch payload {
    case .habitCreated(let fields), .habitEdited(let fields):
      if case .text(let title) = fields.values[.title] { titles[fields.habit] = title }
    default: break
    }
  }

  /// Such as `Walk 2026-11-23`; empty where the type says it all.
  func summary(_ payload: Payload?, _ time: LocalTime) -> String {
    switch payload {
    case .habitCreated(let fields), .habitEdited(let fields): title(fields.habit)
    case .habitArchivedSet(let set): "\(title(set.habit)) \(set.isArchived ? "archived" : "shown")"
    case .habitDeleted(let deleted): title(deleted.habit)
    case .habitRestored(let restored): title(restored.habit)
    case .slotSet(let set): "\(title(set.habit)): \(set.slot.summary(time))"
    case .slotRemoved(let removed): title(removed.habit)
    case .entryRecorded(let entry):
      "\(title(entry.habit)) \(entry.date)"
        + (entry.value == 1000 ? "" : " +\(entry.value.decimal)")
    case .entryVoided(let voided):
      voided.items.count == 1 ? "1 entry" : "\(voided.items.count) entries"
    case .dayMarked(let marked):
      "\(title(marked.habit)) \(marked.mark.rawValue) \(marked.first)"
        + (marked.last == marked.first ? "" : " to \(marked.last)")
    case .pauseSet(let pause):
      "\(pause.habit.map(title) ?? "all habits") from \(pause.first)"
        + (pause.last.map { " to \($0)" } ?? "")
    case .appActive(let active): active.date.description
    case .permissionChanged(let changed): changed.permission.status.rawValue
    case .permissionAsked(let asked): asked.step.rawValue
    case .alertsSet(let set): set.isOn.map { $0 ? "on" : "off" } ?? ""
    case .deviceDescribed(let device): "\(device.name) \(device.role.rawValue) \(device.zone)"
    case .settingsSet(let set): "\(set.name) \(set.value ?? "as at first")"
    case .snoozeSet(let set): summary(set, time)
    case .dataErased(let erasure): summary(erasure)
    case .branchesClosed(let closed): closed.heads.count.counted("head")
    case .planSubmitted(let submitted):
      "\(submitted.added) added, \(submitted.removed) removed"
        + (submitted.failed == 0 ? "" : ", \(submitted.failed) failed")
    case .itemObserved, .receiptAdvanced, .responseRecorded, .wakeFinished, .pushTokenSet,
      .pushReceived, .importFinished:
      laterSummary(payload)
    case .unknown, nil: ""
    }
  }

  private func summary(_ set: SnoozeSet, _ time: LocalTime) -> String {
    let occurrence = "\(title(set.habit)) \(set.snooze.nominal)"
    return set.snooze.until.map { "\(occurrence) until \(time.text($0))" }
      ?? "\(occurrence) no more"
  }

  private func summary(_ erasure: Erasure) -> String {
    switch erasure.scope {
    case .habit(let habit): "all of \(title(habit))"
    case .items(let source, let last):
      last == nil ? "all of \(source)" : "old receipts of \(source)"
    case .receipts(let habit, let last):
      last == nil ? "all receipts of \(title(habit))" : "old receipts of \(title(habit))"
    }
  }

  /// The summary of what was fetched, shown or answered, and of what happens in the background.
  private func laterSummary(_ payload: Payload?) -> String {
    switch payload {
    case .itemObserved(let observed):
      "\(observed.source), \(observed.items.count.counted("item"))"
    case .receiptAdvanced(let receipt): "\(name(receipt.subject)) \(receipt.state.rawValue)"
    case .responseRecorded(let response): "\(name(response.subject)) \(response.action)"
    case .wakeFinished(let wake): "\(wake.reason.rawValue) \(wake.result.rawValue)"
    case .pushTokenSet(let set):
      switch set.registration {
      case .token: set.environment
      case .failure: "\(set.environment), failed"
      }
    case .pushReceived(let push): "\(push.id) \(push.kind.rawValue)"
    case .importFinished(let finished): finished.source
    default: ""
    }
  }

  /// Such as `Walk 2026-11-23T17:00` or `github 203134625`.
  func name(_ subject: ReceiptSubject) -> String {
    switch subject {
    case .occurrence(let habit, _, let nominal): "\(title(habit)) \(nominal)"
    case .item(let source, let item): "\(source) \(item)"
    case .push(let id): id
    }
  }

  /// As ``name(_:)`` by the slot's clock, with the title of a fetched item where it is known.
  func name(_ receipt: Receipt, _ time: LocalTime) -> String {
    guard case .item(let source, _) = receipt.subject, let title = receipt.title else {
      return name(local(receipt.subject, time))
    }
    return "\(source) \(title)"
  }

  /// Such as `Walk of Mon 23 Nov 17:00`.
  func name(_ subject: ReceiptSubject, _ time: LocalTime) -> String {
    guard case .occurrence(let habit, _, let nominal) = local(subject, time) else {
      return name(subject)
    }
    return "\(title(habit)) of \(time.text(nominal.date)) \(nominal.time)"
  }

  private func title(_ habit: HabitID) -> String {
    titles[habit] ?? String(habit.description.prefix(8))
  }
}
