import Carillon
import CarillonModel

/// An edit that lost to a concurrent event, in words and as JSON.
struct ConflictWords {
  /// Such as `Both changed the times of Walk: 19:00 from watch@7 lost to 17:00 from phone@12. To
  /// take it back: carillon habit edit Walk --take watch@7`.
  let text: String
  /// The field with the lost value, such as `times 19:00`.
  let lostText: String
  /// The field with the value that it has; or `archived` or `deleted`.
  let keptText: String
  /// `{habit, title, schedule, field, date, lost, kept, command}`.
  let json: JSON

  /// - Parameters:
  ///   - habit: The habit; nil for a setting.
  ///   - unique: The argument that names the habit on the command line.
  fileprivate init(
    _ conflict: EditConflict, of habit: Habit?, named unique: String, lost: String, kept: String,
    carillon: String, _ time: LocalTime
  ) {
    let (field, name) = (conflict.field, conflict.field.text)
    let lostValue = conflict.lost.value.text(field, time)
    let keptValue = conflict.kept.value.text(field, time)
    let title = habit?.title ?? ""
    let (verb, sentence): (String, String) =
      switch (conflict.kept.value, field) {
      case (.archived, _), (.deleted, _):
        (
          conflict.kept.value == .archived ? "habit unarchive" : "habit restore",
          "\(kept) \(keptValue) \(title), and did not know its \(name) \(lostValue) from \(lost)"
        )
      case (.removed, _):
        (
          "habit edit",
          "\(kept) removed a reminder of \(title), and did not know its \(name) \(lostValue) from "
            + lost
        )
      case _ where conflict.lost.value == .removed:
        (
          "habit edit",
          "\(lost) removed a reminder of \(title), but \(kept), which did not know it, brought it "
            + "back with \(name) \(keptValue)"
        )
      case (_, .setting(let setting)):
        (
          "settings set \(setting.rawValue)",
          "Both changed the \(name): \(lostValue) from \(lost) lost to \(keptValue) from \(kept)"
        )
      default:
        (
          "habit edit",
          "Both changed the \(name) of \(title): \(lostValue) from \(lost) lost to \(keptValue) "
            + "from \(kept)"
        )
      }
    let argument =
      if case .text(let value) = conflict.lost.value, habit == nil {
        NextCommand.quoted(value ?? "none")
      } else {
        unique
      }
    let command =
      "\(carillon) \(verb) \(argument)" + (verb == "habit edit" ? " --take \(lost)" : "")
    switch conflict.kept.value {
    case .archived: (lostText, keptText) = ("unarchived", keptValue)
    case .deleted: (lostText, keptText) = ("restored", keptValue)
    case .removed: (lostText, keptText) = ("\(name) \(lostValue)", "reminder removed")
    case _ where conflict.lost.value == .removed:
      (lostText, keptText) = ("reminder removed", "\(name) \(keptValue)")
    default: (lostText, keptText) = ("\(name) \(lostValue)", "\(name) \(keptValue)")
    }
    // Another device chose the texts, which must not control the terminal.
    text = "\(sentence). To take it back: \(command)".printable
    func edit(_ name: String, _ edit: EditConflict.Edit, _ value: String) -> JSON {
      ["event": .text(edit.event.description), "name": .text(name), "value": .text(value)]
    }
    json = [
      "habit": .text(habit?.id.description), "title": .text(habit?.title),
      "schedule": .text(field.schedule?.description), "field": .text(field.name),
      "date": .text(field.date?.description), "lost": edit(lost, conflict.lost, lostValue),
      "kept": edit(kept, conflict.kept, keptValue), "command": .text(command),
    ]
  }
}

extension Call {
  /// Returns the conflicts that a sync brought to a store, in words.
  ///
  /// - Parameters:
  ///   - before: The position of the log before the sync.
  ///   - name: The directory of the store, if the command line gives it besides `--store`.
  func conflicts(
    broughtBy report: SyncReport, to store: Store, since before: LogPosition, named name: String?
  ) async throws -> [ConflictWords] {
    guard report.eventsReceived > 0 else { return [] }
    do {
      return try await words(store.conflicts(after: before), in: store, named: name)
    } catch let error as StoreError {
      try Task.checkCancellation()
      // The sync is complete, and needs only the log.
      output.warn("lost edits cannot be listed: \(error.message)")
      return []
    }
  }

  /// Returns conflicts in words.
  ///
  /// - Parameter name: The directory of the store, if the command line gives it besides `--store`.
  func words(
    _ conflicts: [EditConflict], in store: Store, named name: String? = nil
  ) async throws -> [ConflictWords] {
    guard !conflicts.isEmpty else { return [] }
    let habits = try await store.habits(includingArchived: true, includingDeleted: true)
    let names = try ReplicaNames(store)
    let forked = Set(
      try await store.replicas().lazy.filter { $0.branches.count > 1 }.map(\.replica))
    func eventName(_ id: EventID) async throws -> String {
      guard let event = try await store.event(id)?.event, !forked.contains(event.replica),
        !names[event.replica].contains(where: { "@~".contains($0) })
      else { return id.description }
      return NextCommand.argument("\(names[event.replica])@\(event.sequence.rawValue)", or: id)
    }
    // Taking back a title would make the other commands name a habit that is called otherwise.
    let renamed = Set(conflicts.lazy.filter { $0.field.name == "title" }.compactMap(\.habit))
    var words: [ConflictWords] = []
    for conflict in conflicts {
      let habit = habits.first { $0.id == conflict.habit }
      guard habit != nil || conflict.habit == nil else { continue }
      words.append(
        ConflictWords(
          conflict, of: habit,
          named: habit.map {
            renamed.contains($0.id) ? $0.id.description : $0.argument(among: habits)
          } ?? "",
          lost: try await eventName(conflict.lost.event),
          kept: try await eventName(conflict.kept.event),
          carillon: NextCommand.carillon(store: name ?? output.store), output.time))
    }
    return words
  }
}

extension Habit {
  /// Returns the argument that names only this habit in a suggested command.
  ///
  /// A few letters name a current habit first, so that others are named by their IDs.
  func argument(among habits: [Habit]) -> String {
    hiddenState == nil && habits.count { $0.title == title } == 1 ? argument : id.description
  }
}

extension EditConflict.Field {
  /// The name of the field, as in events.
  fileprivate var name: String {
    switch self {
    case .habit(let field): field.name
    case .schedule(_, let field): field.rawValue
    case .note: "note"
    case .setting(let name): name.rawValue
    }
  }

  /// The name of the field for people, such as `note on 2026-11-23`.
  fileprivate var text: String {
    switch self {
    case .habit, .schedule: name
    case .note(let date): "note on \(date)"
    case .setting: "setting \(name)"
    }
  }

  /// The date of a note.
  fileprivate var date: CivilDate? { if case .note(let date) = self { date } else { nil } }

  /// The schedule; nil for a field of the habit.
  fileprivate var schedule: ScheduleID? {
    if case .schedule(let schedule, _) = self { schedule } else { nil }
  }
}

extension EditConflict.Value {
  /// The value of a field, or what became of the habit, for people; `none` if it has none.
  fileprivate func text(_ field: EditConflict.Field, _ time: LocalTime) -> String {
    let text =
      switch (self, field) {
      case (.habit(let value), .habit(let field)): field.text(value)
      case (.schedule(let schedule), .schedule(_, .rule)):
        RuleText(time: time).text(schedule.rule, at: []).replacing(", no reminder", with: "")
      case (.schedule(let schedule), .schedule(_, let field)): schedule.text(of: field)
      case (.text(let text), .setting(let name)): text ?? StoreSettings()[name] ?? ""
      case (.text(let text), _): text ?? ""
      case (.archived, _): "archived"
      case (.deleted, _): "deleted"
      case (.removed, _): "removed"
      default: ""
      }
    return text.isEmpty ? "none" : text
  }
}
