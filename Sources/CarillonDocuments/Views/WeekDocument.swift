package import Carillon
package import CarillonModel

/// A week of all habits, from Monday to Sunday.
package struct WeekDocument: Sendable {
  /// The week's dates.
  package let dates: [CivilDate]
  /// The date of today.
  package let today: CivilDate
  /// The habits in use, by position and title.
  package let rows: [WeekOfHabit]
  /// Why nothing is delivered on this device; nil if something is, or the week is over.
  package let blocked: Blocked?
  private let time: LocalTime

  /// Reads the week of a date from a store.
  package init(_ store: Store, of date: CivilDate, _ time: LocalTime) async throws {
    let today = try await store.today()
    let monday = date.adding(days: 1 - Int(date.weekday.rawValue))
    let sunday = monday.adding(days: 6)
    let (habits, adherence, state) = try await store.query { reader in
      let habits = try reader.habits()
      return (
        habits, try reader.adherence(of: habits, since: monday),
        try reader.state(range: today...max(today, sunday))
      )
    }
    // What is over does not depend on what the device delivers now.
    let blocked = sunday < today ? nil : try await store.device().blocked
    let firings =
      blocked == nil && sunday >= today
      ? try await store.firings(on: max(today, monday)...sunday) : [:]
    rows = habits.compactMap { habit in
      adherence[habit.id].map { adherence in
        WeekOfHabit(
          habit: habit, adherence: adherence, state: state, firings: firings[habit.id] ?? [:])
      }
    }
    (self.today, self.blocked, self.time) = (today, blocked, time)
    dates = Array(monday...sunday)
  }

  /// `{from,to,habits[{habit,title,done,due,days[{date,state,fireAt,notPlannedAt}]}],blocked}`.
  package var json: JSON {
    [
      "from": .text(dates.first?.description), "to": .text(dates.last?.description),
      "habits": .array(rows) { $0.json(dates, time) }, "blocked": .text(blocked?.rawValue),
    ]
  }
}

/// A week of one habit.
package struct WeekOfHabit: Sendable {
  package let habit: Habit
  let adherence: Adherence
  /// The facts of the dates from today.
  let state: StoreState
  /// The first reminder of each date from today.
  let firings: [CivilDate: FirstFiring]

  /// A mark for a date that was done, missed or left out; for one that is open or ahead, the time
  /// of its reminder.
  package func text(_ date: CivilDate, _ time: LocalTime) -> String {
    if let mark = mark(date) { return mark.symbol }
    return firings[date].map { ($0.isPlanned ? "" : "~") + time.clock($0.instant) } ?? ""
  }

  /// The state of a date that is shown as a mark, or nil if the reminder's time is shown.
  package func mark(_ date: CivilDate) -> Adherence.Day? {
    let day = day(date)
    let isAhead = date > adherence.today || day == .open
    return isAhead && firings[date] != nil ? nil : day
  }

  /// The state of a date; nil before the habit's first date, and for a date ahead of which nothing
  /// is recorded.
  private func day(_ date: CivilDate) -> Adherence.Day? {
    guard date > adherence.today else { return date < adherence.first ? nil : adherence[date] }
    if state.isDone(habit, on: date) { return .done }
    if state.days[habit.id]?[date]?.mark == .skip { return .skipped }
    return state.pauses.values.contains { $0.covers(date, of: habit.id) } ? .paused : nil
  }

  /// Whether a date shows the time of a reminder that is not planned yet.
  package func isUnplanned(_ date: CivilDate) -> Bool {
    mark(date) == nil && firing(date, isPlanned: false) != nil
  }

  /// The instant of the first reminder of a date, if it is planned or not, as asked.
  private func firing(_ date: CivilDate, isPlanned: Bool) -> Instant? {
    firings[date].flatMap { $0.isPlanned == isPlanned ? $0.instant : nil }
  }

  /// The statistics of a week, or nil if it has not begun.
  package func week(of monday: CivilDate) -> Adherence.Period? {
    monday > adherence.today ? nil : adherence.week(of: monday)
  }

  fileprivate func json(_ dates: [CivilDate], _ time: LocalTime) -> JSON {
    let week = week(of: dates[0])
    return [
      "habit": .text(habit.id.description), "title": .text(habit.title),
      "done": week.map { .integer($0.done) } ?? .null,
      "due": week.map { .integer($0.due) } ?? .null,
      "days": .array(dates) { date in
        [
          "date": .text(date.description), "state": .text(day(date)?.rawValue),
          "fireAt": .text(firing(date, isPlanned: true).map(time.rfc3339)),
          "notPlannedAt": .text(firing(date, isPlanned: false).map(time.rfc3339)),
        ]
      },
    ]
  }
}
