import ArgumentParser
import Carillon
import CarillonModel
import Foundation

/// `carillon week`: shows a week of all habits.
struct WeekCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "week",
    abstract: "Show a week of all habits, from Monday to Sunday.",
    discussion: """
      The days so far show what was done. The days ahead show when the first reminder fires on \
      this device, or that the date is skipped or paused. A time after ~ is not planned yet: it \
      is too far ahead, does not fit, or stops if nothing is recorded. With --json, each day has \
      its state and the time of that reminder as fireAt, or as notPlannedAt.

      Examples:
        carillon week
        carillon week --on 2026-11-02
      """)

  @OptionGroup var global: GlobalOptions
  @Option(
    help: ArgumentHelp("A date of the week to show (default: today).", valueName: "date"))
  var on: Given<DateText>?

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let today = try await store.today()
      let date = try on.value(for: "--on").map { $0.date(.past, today: today) } ?? today
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
      let rows = habits.compactMap { habit in
        adherence[habit.id].map { adherence in
          Row(
            habit: habit, adherence: adherence, state: state, firings: firings[habit.id] ?? [:])
        }
      }
      let dates = Array(monday...sunday)
      let none = rows.isEmpty ? try await store.noHabits(call.output) : nil
      let json: JSON = [
        "from": .text(monday.description), "to": .text(sunday.description),
        "habits": .array(rows) { $0.json(dates, call.output.time) },
        "blocked": .text(blocked?.rawValue),
      ]
      try call.output.answer(json) {
        if let none { return none }
        return Self.table(rows, dates, today: today, call.output)
          + Adherence.legend(
            of: rows.flatMap { row in dates.compactMap(row.mark) },
            isUnplanned: rows.contains { dates.contains(where: $0.isUnplanned) },
            on: call.output.terminal)
          + (blocked.map { call.output.footer($0) } ?? "")
      }
    }
  }

  private static func table(
    _ rows: [Row], _ dates: [CivilDate], today: CivilDate, _ output: Output
  ) -> String {
    let days = dates.map { date in
      let name = date.weekday.abbreviation.capitalized.prefix(2)
      return Table.Column(title: "\(name) \(date.components.day)\(date == today ? "*" : "")")
    }
    var table = Table(
      [.init(title: "habit", canShrink: true)] + days + [.init(title: "done")])
    for row in rows {
      table.add(
        [.init(row.habit.title, .bold)] + dates.map { .init(row.text($0, output.time)) }
          + [.init(row.week(of: dates[0])?.count ?? "")])
    }
    return table.rendered(on: output.terminal)
  }
}

/// A habit's line.
private struct Row {
  let habit: Habit
  let adherence: Adherence
  /// The facts of the dates from today.
  let state: StoreState
  /// The first reminder of each date from today.
  let firings: [CivilDate: FirstFiring]

  /// A mark for a date that was done, missed or left out; for one that is open or ahead, the time
  /// of its reminder.
  func text(_ date: CivilDate, _ time: LocalTime) -> String {
    if let mark = mark(date) { return mark.symbol }
    return firings[date].map { ($0.isPlanned ? "" : "~") + time.clock($0.instant) } ?? ""
  }

  /// The state of a date that is shown as a mark, or nil if the reminder's time is shown.
  func mark(_ date: CivilDate) -> Adherence.Day? {
    let day = day(date)
    let isAhead = date > adherence.today || day == .open
    return isAhead && firings[date] != nil ? nil : day
  }

  /// The state of a date; nil before the habit's first date, and for a date ahead of which nothing
  /// is recorded.
  func day(_ date: CivilDate) -> Adherence.Day? {
    guard date > adherence.today else { return date < adherence.first ? nil : adherence[date] }
    if state.isDone(habit, on: date) { return .done }
    if state.days[habit.id]?[date]?.mark == .skip { return .skipped }
    return state.pauses.values.contains { $0.covers(date, of: habit.id) } ? .paused : nil
  }

  /// Whether a date shows the time of a reminder that is not planned yet.
  func isUnplanned(_ date: CivilDate) -> Bool {
    mark(date) == nil && firing(date, isPlanned: false) != nil
  }

  /// The instant of the first reminder of a date, if it is planned or not, as asked.
  private func firing(_ date: CivilDate, isPlanned: Bool) -> Instant? {
    firings[date].flatMap { $0.isPlanned == isPlanned ? $0.instant : nil }
  }

  /// The statistics of a week, or nil if it has not begun.
  func week(of monday: CivilDate) -> Adherence.Period? {
    monday > adherence.today ? nil : adherence.week(of: monday)
  }

  func json(_ dates: [CivilDate], _ time: LocalTime) -> JSON {
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
