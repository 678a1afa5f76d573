package import Carillon
package import CarillonModel

/// What is due and done today, and when each reminder fires next.
package struct TodayDocument: Sendable {
  /// The date of today.
  package let date: CivilDate
  /// The habits in use, by position and title, each with its next reminder.
  package let rows: [(habit: HabitToday, next: NextReminder)]
  /// The plan that the next reminders are of.
  package let plan: NotificationPlan
  private let notes: [HabitID: String]
  private let store: Store
  private let time: LocalTime

  /// Reads the state of today from a store.
  package init(_ store: Store, _ time: LocalTime, _ terms: Terms = .plain) async throws {
    let today = try await HabitsDocument(store)
    plan = try await store.plan()
    let habits = today.rows.map(\.habit)
    let reminders = try await Reminders(plan, of: habits, store, time, terms)
    rows = today.rows.map { ($0, reminders.next(of: $0.habit)) }
    date = today.date
    notes = try await store.notes(of: habits.map(\.id), on: today.date)
    (self.store, self.time) = (store, time)
  }

  /// `{date,habits[{habit,title,today,note,next,canSnooze}],blocked}`.
  ///
  /// A counted habit also has `amount`, `target` and `unit`. Which habits have a reminder that can
  /// be snoozed is read on each call.
  package var json: JSON {
    get async throws {
      let snoozable = try await store.snoozableHabits()
      return [
        "date": .text(date.description),
        "habits": .array(rows) { row in
          let id = row.habit.habit.id
          return row.habit.json(note: notes[id], next: row.next.json(time))
            .merging(["canSnooze": .bool(snoozable.contains(id))])
        },
        "blocked": .text(plan.blocked?.rawValue),
      ]
    }
  }
}

extension HabitToday {
  fileprivate func json(note: String?, next: JSON) -> JSON {
    let row: JSON = [
      "habit": .text(habit.id.description), "title": .text(habit.title),
      "today": .text(state.rawValue), "note": .text(note), "next": next,
    ]
    guard habit.kind == .count else { return row }
    return row.merging([
      "amount": .integer(amount.thousandths),
      "target": habit.target.map { .integer($0.thousandths) } ?? .null, "unit": .text(habit.unit),
    ])
  }
}
