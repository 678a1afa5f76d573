import Carillon
import CarillonModel

/// A value that lost to a concurrent edit, in words and as JSON.
struct ConflictWords {
  /// Such as `Both changed the times of Walk: 19:00 from watch@7 lost to 17:00 from phone@12. To
  /// take it back: carillon habit edit Walk --take watch@7`.
  let text: String
  /// The field with the lost value, such as `times 19:00`.
  let lostText: String
  /// The field with the value that it has.
  let keptText: String
  /// `{habit, title, schedule, field, lost, kept, command}`.
  let json: JSON

  fileprivate init(
    _ conflict: EditConflict, of habit: Habit, named unique: String, lost: String, kept: String,
    carillon: String, _ time: LocalTime
  ) {
    let field = conflict.field
    let (lostValue, keptValue) = (
      conflict.lost.value.text(field, time), conflict.kept.value.text(field, time)
    )
    let command = "\(carillon) habit edit \(NextCommand.quoted(unique)) --take \(lost)"
    lostText = "\(field.name) \(lostValue)"
    keptText = "\(field.name) \(keptValue)"
    // Another device chose the texts, which must not control the terminal.
    text =
      ("Both changed the \(field.name) of \(habit.title): \(lostValue) from \(lost) lost to "
      + "\(keptValue) from \(kept). To take it back: \(command)").printable
    func edit(_ name: String, _ edit: EditConflict.Edit, _ value: String) -> JSON {
      ["event": .text(edit.event.description), "name": .text(name), "value": .text(value)]
    }
    json = [
      "habit": .text(habit.id.description), "title": .text(habit.title),
      "schedule": .text(field.schedule?.description),
      "field": .text(field.name), "lost": edit(lost, conflict.lost, lostValue),
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
    let habits = try await store.habits(includingArchived: true)
    let names = try ReplicaNames(store)
    let forked = Set(
      try await store.replicas().lazy.filter { $0.branches.count > 1 }.map(\.replica))
    func eventName(_ id: EventID) async throws -> String {
      guard let event = try await store.event(id)?.event, !forked.contains(event.replica),
        !names[event.replica].contains(where: { "@~".contains($0) })
      else { return id.description }
      return NextCommand.quoted("\(names[event.replica])@\(event.sequence.rawValue)")
    }
    var words: [ConflictWords] = []
    for conflict in conflicts {
      guard let habit = habits.first(where: { $0.id == conflict.habit }) else { continue }
      let isName =
        habits.count { $0.title == habit.title } == 1 && NextCommand.canName(habit.title)
      words.append(
        ConflictWords(
          conflict, of: habit, named: isName ? habit.title : habit.id.description,
          lost: try await eventName(conflict.lost.event),
          kept: try await eventName(conflict.kept.event),
          carillon: NextCommand.carillon(store: name ?? output.store), output.time))
    }
    return words
  }
}

extension EditConflict.Field {
  /// The name of the field, as in events.
  fileprivate var name: String {
    switch self {
    case .habit(let field): field.name
    case .schedule(_, let field): field.rawValue
    }
  }

  /// The schedule; nil for a field of the habit.
  fileprivate var schedule: ScheduleID? {
    if case .schedule(let schedule, _) = self { schedule } else { nil }
  }
}

extension EditConflict.Value {
  /// The value of a field, for people; `none` if it has none.
  fileprivate func text(_ field: EditConflict.Field, _ time: LocalTime) -> String {
    let text =
      switch (self, field) {
      case (.habit(let value), .habit(let field)): field.text(value)
      case (.schedule(let schedule), .schedule(_, .rule)):
        RuleText(time: time).text(schedule.rule, at: []).replacing(", no reminder", with: "")
      case (.schedule(let schedule), .schedule(_, let field)): schedule.text(of: field)
      default: ""
      }
    return text.isEmpty ? "none" : text
  }
}
