import ArgumentParser
import Carillon
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

  /// The number of entries that are shown.
  private static let lastEntries = 5

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  func run(_ call: Call) async throws {
    try await Self.answer(call, habit: habit.habit)
  }

  /// Prints the habit that a text names.
  static func answer(_ call: Call, habit: String) async throws {
    try await call.withStore { store in
      let found = try await store.habit(named: habit, prefer: .any)
      let today = try await store.today()
      let recent = today.adding(days: -13)...today
      let (days, notes, pauses, adherence) = try await store.query { reader in
        (
          try reader.days(of: found.id, in: recent), try reader.notes(of: found.id, in: recent),
          try reader.pauses().ofNowAndLater(of: found, today), try reader.adherence(of: found.id)
        )
      }
      let year = YearMap(adherence: adherence)
      let entries = try await store.lastEntries(lastEntries, of: found, in: year.first...today)
        .reversed()
      let conflicts = try await call.words(store.conflicts(of: found.id), in: store)
      let next = try await Reminders(store.plan(), of: [found], store, call.output)
        .next(of: found)
      lazy var json = found.json.merging([
        "next": next.json(call.output.time),
        "conflicts": .array(conflicts) { $0.json },
        "adherence": adherence.json, "pauses": .array(pauses) { $0.json },
        "days": .array(days.sorted { $0.key < $1.key }) { date, day in
          [
            "date": .text(date.description), "amount": .integer(day.amount.thousandths),
            "entries": .integer(day.entryCount), "mark": .text(day.mark.rawValue),
            "done": .bool(day.isDone(found)),
          ]
        },
        "notes": .array(notes.sorted { $0.key < $1.key }) { date, texts in
          ["date": .text(date.description), "notes": .array(texts) { .text($0) }]
        },
        "entries": .array(entries) { $0.json(call.output.time) },
      ])
      try call.output.answer(json) {
        text(found, adherence, pauses, next, call) + "\n"
          + adherence.calendar(weeks: 4, call.output.time).rendered(on: call.output.terminal)
          + adherence.legend(weeks: 4, on: call.output.terminal) + "\n"
          + year.rendered(on: call.output.terminal)
          + text(Array(entries), call) + text(notes.without(entries), call)
          + (conflicts.isEmpty
            ? "" : "\nConflicts\n" + conflicts.map { $0.text.printable + "\n" }.joined())
      }
    }
  }

  /// Returns the entries under a title; empty if there are none.
  private static func text(_ entries: [FoundEntry], _ call: Call) -> String {
    guard !entries.isEmpty else { return "" }
    return "\nLast entries\n"
      + Table(entries: entries, call.output.time).rendered(on: call.output.terminal)
  }

  /// Returns the notes, newest first, under a title; empty if there are none.
  private static func text(_ notes: [CivilDate: [String]], _ call: Call) -> String {
    let lines = notes.sorted { $0.key > $1.key }.flatMap { date, texts in
      texts.map { "\(call.output.time.text(date))  \($0.printable)\n" }
    }
    return lines.isEmpty ? "" : "\nNotes\n" + lines.joined()
  }

  private static func text(
    _ habit: Habit, _ adherence: Adherence, _ pauses: [Pause], _ next: NextReminder, _ call: Call
  ) -> String {
    var facts = [("habit", habit.title), ("id", habit.id.description)]
    if habit.isDeleted { facts.append(("state", "deleted")) }
    if habit.isArchived { facts.append(("state", "archived")) }
    for field in HabitField.allCases where ![.title, .position].contains(field) {
      if let text = habit.text(field) { facts.append((field.name, text)) }
    }
    if habit.goal == nil, let quota = adherence.goal {
      facts.append(("goal", "\(quota), the quota of its reminders"))
    }
    for pause in pauses {
      facts.append(("paused", pause.text(on: adherence.today, call.output.time)))
    }
    for schedule in habit.schedules {
      facts.append(("schedule", "\(schedule.summary(call.output.time))  \(schedule.id)"))
      if schedule.stopAfterDays == nil, schedule.inactivityDays > 0 {
        facts.append(("", "stops after \(schedule.inactivityDays) days without activity"))
      }
    }
    if habit.schedules.isEmpty {
      let add = "\(call.output.carillon) schedule add \(habit.argument) --at 17:00"
      facts.append(("schedule", "none; add one: \(add)"))
    } else if !habit.isDeleted {
      facts.append(("next", next.text(call.output.time, today: adherence.today)))
    }
    facts.append(("strength", adherence.strengthText(of: habit)))
    facts.append(("streak", adherence.streakText(call.output.time)))
    facts.append(("months", adherence.monthsText))
    return Table(facts: facts).rendered(on: call.output.terminal)
  }
}

extension [CivilDate: [String]] {
  /// Returns the notes of dates without those of entries.
  fileprivate func without(_ entries: some Sequence<FoundEntry>) -> Self {
    var rest = self
    for entry in entries { rest[entry.date]?.removeAll { $0 == entry.note } }
    return rest
  }
}

extension [Pause] {
  /// Returns the pauses of a habit that are not over, earliest first, with those of all habits.
  fileprivate func ofNowAndLater(of habit: Habit, _ today: CivilDate) -> [Pause] {
    filter { pause in
      (pause.habit ?? habit.id) == habit.id
        && pause.last.map { $0 >= Swift.max(pause.first, today) } ?? true
    }.sorted { ($0.first, $0.id) < ($1.first, $1.id) }
  }
}

extension Pause {
  /// `{pause,habit,from,to}`: without `habit` it is for all habits, without `to` it has no end.
  fileprivate var json: JSON {
    [
      "pause": .text(id.description), "habit": .text(habit?.description),
      "from": .text(first.description), "to": .text(last?.description),
    ]
  }

  /// `until the end of Mon 30 Nov`, with `from Fri 27 Nov` before it if it has not started.
  fileprivate func text(on today: CivilDate, _ time: LocalTime) -> String {
    let until = time.text(pauseUntil: last)
    return first > today ? "from \(time.text(first)) \(until)" : until
  }
}

extension Habit {
  /// Returns a field as text for people, or nil if it has its default.
  fileprivate func text(_ field: HabitField) -> String? {
    guard self[field] != Habit(id: id, title: "")[field] else { return nil }
    return self[field] == .none ? nil : field.text(self[field])
  }
}
