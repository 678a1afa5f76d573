package import Carillon
import CarillonModel

/// The reminders of the coming days of all habits in use, with why each one fires or does not.
package struct UpcomingDocument: Sendable {
  private let dates: [(date: CivilDate, reminders: [Reminder])]
  private let isComplete: Bool
  private let blocked: Blocked?
  private let time: LocalTime

  /// The most days that can be listed, today included.
  package static let maxDays = 92
  /// The most reminders that are listed; the dates end before the one that exceeds it.
  package static let maxCount = 2_000

  /// One occurrence of a schedule.
  private struct Reminder: Sendable {
    let habit: Habit
    let explanation: Explanation
    let text: String
  }

  /// Reads the reminders from a store.
  ///
  /// - Parameter days: The number of days, today included; by default as many as are planned.
  package init(
    _ store: Store, days: Int? = nil, _ time: LocalTime, _ terms: Terms = .plain
  ) async throws {
    let words = try await ReasonWords(store, time, terms, ranOut: try await store.planRanOut())
    let today = try await store.today()
    let planned = try await store.settings().horizonDays
    let last = today.adding(days: (days ?? min(planned, Self.maxDays)) - 1)
    let upcoming = try await store.upcoming(on: today...last, maxCount: Self.maxCount)
    isComplete = upcoming.isComplete
    dates = upcoming.dates.map { date in
      let reminders = upcoming.habits.flatMap { habit, occurrences in
        (occurrences[date] ?? []).map {
          Reminder(habit: habit, explanation: $0, text: words.text($0, of: habit))
        }
      }
      return (date, reminders.sorted { Explanation.isSooner($0.explanation, $1.explanation) })
    }
    blocked = words.delivery.blocked
    self.time = time
  }

  /// `{dates[{date,reminders[{habit,title,...}]}],complete,limit,blocked}`.
  ///
  /// Each reminder is as in the explanation of its habit, with `fires` if it will fire on this
  /// device. If there are more than `limit`, `complete` is false and the dates end early.
  package var json: JSON {
    [
      "dates": .array(dates) { date, reminders in
        ["date": .text(date), "reminders": .array(reminders) { json($0) }]
      },
      "complete": .bool(isComplete), "limit": .integer(Self.maxCount),
      "blocked": .text(blocked?.rawValue),
    ]
  }

  private func json(_ reminder: Reminder) -> JSON {
    let fires = reminder.explanation.reason == .planned && blocked == nil
    let habit: JSON = [
      "habit": .text(reminder.habit.id), "title": .text(reminder.habit.title),
      "fires": .bool(fires),
    ]
    return habit.merging(reminder.explanation.json(reminder.text, time))
  }
}
