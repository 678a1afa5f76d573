package import Carillon
package import CarillonModel

/// A habit with its schedules, statistics, dates and last entries.
package struct HabitDocument: Sendable {
  package let habit: Habit
  package let adherence: Adherence
  /// The pauses of the habit, and of all habits, that are not over, earliest first.
  package let pauses: [Pause]
  package let next: NextReminder
  /// The notes of the last 14 dates.
  package let notes: [CivilDate: [String]]
  /// The last entries of the year, newest first.
  package let entries: [FoundEntry]
  package let conflicts: [ConflictWords]
  /// What was recorded for the last 14 dates.
  private let days: StoreState.Days
  private let time: LocalTime

  /// The number of entries.
  private static let lastEntries = 5

  /// Reads what a store knows of a habit.
  package init(
    _ store: Store, _ habit: Habit, _ time: LocalTime, _ terms: Terms = .plain
  ) async throws {
    let today = try await store.today()
    let recent = today.adding(days: -13)...today
    (days, notes, pauses, adherence) = try await store.query { reader in
      (
        try reader.days(of: habit.id, in: recent), try reader.notes(of: habit.id, in: recent),
        try reader.pauses().ofNowAndLater(of: habit, today), try reader.adherence(of: habit.id)
      )
    }
    entries = try await store.lastEntries(
      Self.lastEntries, of: habit, in: adherence.yearStart...today
    ).reversed()
    conflicts = try await store.words(store.conflicts(of: habit.id), time, terms)
    next = try await Reminders(store.plan(), of: [habit], store, time, terms).next(of: habit)
    (self.habit, self.time) = (habit, time)
  }

  /// The habit's document with `next`, `conflicts`, `adherence`, `pauses`, `days`, `notes` and
  /// `entries`.
  package var json: JSON {
    habit.json.merging([
      "next": next.json(time), "conflicts": .array(conflicts) { $0.json },
      "adherence": adherence.json, "pauses": .array(pauses) { $0.json },
      "days": .array(Array(days)) { date, day in
        [
          "date": .text(date.description), "amount": .integer(day.amount.thousandths),
          "entries": .integer(day.entryCount), "mark": .text(day.mark.rawValue),
          "done": .bool(day.isDone(habit)),
        ]
      },
      "notes": .array(notes.sorted { $0.key < $1.key }) { date, texts in
        ["date": .text(date.description), "notes": .array(texts) { .text($0) }]
      },
      "entries": .array(entries) { $0.json(time) },
    ])
  }
}

extension Adherence {
  /// The Monday with which the last 53 weeks begin, which contain the last year.
  package var yearStart: CivilDate {
    today.adding(days: 1 - Int(today.weekday.rawValue) - 52 * 7)
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
  package func text(on today: CivilDate, _ time: LocalTime) -> String {
    let until = time.text(pauseUntil: last)
    return first > today ? "from \(time.text(first)) \(until)" : until
  }
}
