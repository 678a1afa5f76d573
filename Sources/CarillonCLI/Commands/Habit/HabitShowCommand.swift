import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon habit show`: shows one habit with its schedules, statistics, year and last entries.
struct HabitShowCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a habit with its reminders, strength, streak, year, entries and notes.",
    discussion: """
      The strength is the score of Loop Habit Tracker: it grows with each date that is kept, and \
      shrinks with each date that is not.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  func run(_ call: Call) async throws {
    try await Self.answer(call, habit: habit.habit)
  }

  /// Prints the habit that a text names.
  static func answer(_ call: Call, habit: String) async throws {
    try await call.withStore { store in
      let found = try await store.habit(named: habit, prefer: .any)
      let output = call.output
      let document = try await HabitDocument(store, found, output.time, output.terms)
      try output.answer(document.json) {
        let (adherence, conflicts) = (document.adherence, document.conflicts)
        return Self.facts(document, output) + "\n"
          + adherence.calendar(weeks: 4, output.time).rendered(on: output.terminal)
          + adherence.legend(weeks: 4, on: output.terminal) + "\n"
          + YearMap(adherence: adherence).rendered(on: output.terminal)
          + text(document.entries, output) + text(document.notes.without(document.entries), output)
          + (conflicts.isEmpty
            ? "" : "\nConflicts\n" + conflicts.map { $0.text.printable + "\n" }.joined())
      }
    }
  }

  /// Returns the entries under a title; empty if there are none.
  private static func text(_ entries: [FoundEntry], _ output: Output) -> String {
    guard !entries.isEmpty else { return "" }
    return "\nLast entries\n"
      + Table(entries: entries, output.time).rendered(on: output.terminal)
  }

  /// Returns the notes, newest first, under a title; empty if there are none.
  private static func text(_ notes: [CivilDate: [String]], _ output: Output) -> String {
    let lines = notes.sorted { $0.key > $1.key }.flatMap { date, texts in
      texts.map { "\(output.time.text(date))  \($0.printable)\n" }
    }
    return lines.isEmpty ? "" : "\nNotes\n" + lines.joined()
  }

  private static func facts(_ document: HabitDocument, _ output: Output) -> String {
    let (habit, adherence, time) = (document.habit, document.adherence, output.time)
    var facts = [("habit", habit.title), ("id", habit.id.description)]
    if habit.isDeleted { facts.append(("state", "deleted")) }
    if habit.isArchived { facts.append(("state", "archived")) }
    for field in HabitField.allCases where ![.title, .position].contains(field) {
      if let text = habit.text(field) { facts.append((field.name, text)) }
    }
    if habit.goal == nil, let quota = adherence.goal {
      facts.append(("goal", "\(quota), the quota of its reminders"))
    }
    for pause in document.pauses {
      facts.append(("paused", pause.text(on: adherence.today, time)))
    }
    for schedule in habit.schedules {
      facts.append(("schedule", "\(schedule.summary(time))  \(schedule.id)"))
      if schedule.stopAfterDays == nil, schedule.inactivityDays > 0 {
        facts.append(("", "stops after \(schedule.inactivityDays) days without activity"))
      }
    }
    if habit.schedules.isEmpty {
      facts.append(("schedule", output.terms("none; add one", .addReminder(habit))))
    } else if !habit.isDeleted {
      facts.append(("next", document.next.text(time, today: adherence.today)))
    }
    facts.append(("strength", adherence.strengthText(of: habit)))
    facts.append(("streak", adherence.streakText(time)))
    facts.append(("months", adherence.monthsText))
    return Table(facts: facts).rendered(on: output.terminal)
  }
}

extension [CivilDate: [String]] {
  /// Returns the notes of dates without those of entries.
  fileprivate func without(_ entries: [FoundEntry]) -> Self {
    var rest = self
    for entry in entries { rest[entry.date]?.removeAll { $0 == entry.note } }
    return rest
  }
}

extension Habit {
  /// Returns a field as text for people, or nil if it has its default.
  fileprivate func text(_ field: HabitField) -> String? {
    guard self[field] != Habit(id: id, title: "")[field] else { return nil }
    return self[field] == .none ? nil : field.text(self[field])
  }
}
