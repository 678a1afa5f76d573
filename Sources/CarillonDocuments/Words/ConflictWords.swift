package import Carillon
import CarillonModel

/// An edit that lost to a concurrent event, in words and as JSON.
package struct ConflictWords: Sendable {
  /// Such as `Both changed the times of Walk: 19:00 from watch@7 lost to 17:00 from phone@12`, and
  /// how to take it back.
  package let text: String
  /// The field with the lost value, such as `times 19:00`.
  package let lostText: String
  /// The field with the value that it has; or `archived` or `deleted`.
  package let keptText: String
  /// `{habit,title,schedule,field,date,lost,kept,command}`; the last only if the terms have it.
  package let json: JSON

  /// - Parameters:
  ///   - edit: The lost edit.
  ///   - kept: The name of the event that it lost to.
  fileprivate init(_ edit: LostEdit, kept: String, _ time: LocalTime, _ terms: Terms) {
    let (conflict, habit, lost) = (edit.conflict, edit.habit, edit.event)
    let (field, name) = (conflict.field, conflict.field.text)
    let lostValue = conflict.lost.value.text(field, time)
    let keptValue = conflict.kept.value.text(field, time)
    let title = habit?.title ?? ""
    let sentence =
      switch (conflict.kept.value, field) {
      case (.archived, _), (.deleted, _):
        "\(kept) \(keptValue) \(title), and did not know its \(name) \(lostValue) from \(lost)"
      case (.removed, _):
        "\(kept) removed a reminder of \(title), and did not know its \(name) \(lostValue) from "
          + lost
      case _ where conflict.lost.value == .removed:
        "\(lost) removed a reminder of \(title), but \(kept), which did not know it, brought it "
          + "back with \(name) \(keptValue)"
      case (_, .setting):
        "Both changed the \(name): \(lostValue) from \(lost) lost to \(keptValue) from \(kept)"
      default:
        "Both changed the \(name) of \(title): \(lostValue) from \(lost) lost to \(keptValue) "
          + "from \(kept)"
      }
    switch conflict.kept.value {
    case .archived: (lostText, keptText) = ("unarchived", keptValue)
    case .deleted: (lostText, keptText) = ("restored", keptValue)
    case .removed: (lostText, keptText) = ("\(name) \(lostValue)", "reminder removed")
    case _ where conflict.lost.value == .removed:
      (lostText, keptText) = ("reminder removed", "\(name) \(keptValue)")
    default: (lostText, keptText) = ("\(name) \(lostValue)", "\(name) \(keptValue)")
    }
    // Another device chose the texts, which must not control the terminal.
    text = (sentence + terms(". To take it back", .takeBack(edit))).printable
    func json(_ name: String, _ edit: EditConflict.Edit, _ value: String) -> JSON {
      ["event": .text(edit.event.description), "name": .text(name), "value": .text(value)]
    }
    let document: JSON = [
      "habit": .text(habit?.id.description), "title": .text(habit?.title),
      "schedule": .text(field.schedule?.description), "field": .text(field.name),
      "date": .text(field.date?.description), "lost": json(lost, conflict.lost, lostValue),
      "kept": json(kept, conflict.kept, keptValue),
    ]
    let command = terms.steps(.takeBack(edit))
    self.json = document.merging(command.map { ["command": .text($0)] } ?? [:])
  }
}

extension Store {
  /// Returns conflicts in words.
  package func words(
    _ conflicts: [EditConflict], _ time: LocalTime, _ terms: Terms = .plain
  ) async throws -> [ConflictWords] {
    guard !conflicts.isEmpty else { return [] }
    let habits = try await habits(includingArchived: true, includingDeleted: true)
    let names = try ReplicaNames(self)
    let forked = Set(try await replicas().lazy.filter { $0.branches.count > 1 }.map(\.replica))
    func eventName(_ id: EventID) async throws -> String {
      guard let event = try await event(id)?.event, !forked.contains(event.replica),
        !names[event.replica].contains(where: { "@~".contains($0) })
      else { return id.description }
      return terms.event("\(names[event.replica])@\(event.sequence.rawValue)", id)
    }
    // Taking back a title would make the other commands name a habit that is called otherwise.
    let renamed = Set(conflicts.lazy.filter { $0.field.name == "title" }.compactMap(\.habit))
    var words: [ConflictWords] = []
    for conflict in conflicts {
      let habit = habits.first { $0.id == conflict.habit }
      guard habit != nil || conflict.habit == nil else { continue }
      let edit = LostEdit(
        conflict: conflict, habit: habit,
        isNamedByTitle: habit.map { !renamed.contains($0.id) && $0.isNamedByTitle(among: habits) }
          ?? false,
        event: try await eventName(conflict.lost.event))
      words.append(
        ConflictWords(edit, kept: try await eventName(conflict.kept.event), time, terms))
    }
    return words
  }
}

extension Habit {
  /// Whether the title names only this habit.
  ///
  /// A few letters name a current habit first, so that others are named by their IDs.
  package func isNamedByTitle(among habits: [Habit]) -> Bool {
    !isArchived && !isDeleted && habits.count { $0.title == title } == 1
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
