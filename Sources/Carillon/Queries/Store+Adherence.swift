public import CarillonModel
import CarillonSQLite

extension Store {
  /// Returns how well a habit was kept up to today: its streaks, weeks and months.
  ///
  /// A habit without a start date counts from the date it was created or from its first recorded
  /// date, whichever is earlier.
  ///
  /// - Throws: `notFound` if the habit never existed; `io`, `corrupt`.
  /// - Complexity: O(recorded dates of the habit).
  public func adherence(of id: HabitID) async throws -> Adherence {
    try await read { context in
      let creation = try context.reader.creation(of: id)
      return Adherence(
        of: try context.habit(id), created: creation.map(context.date(of:)) ?? context.today,
        days: try context.reader.days(of: id), pauses: try context.reader.pauses(),
        today: context.today, dayStart: context.settings.dayStart,
        calendar: CivilCalendar(zone: context.zone))
    }
  }

  /// Returns the state of today for each habit, including archived and deleted habits.
  ///
  /// - Complexity: O(recorded dates of all habits, as far back as the longest goal period).
  public func adherenceToday() async throws -> [HabitID: Adherence.Day] {
    try await read { context in
      let habits = try context.reader.habits()
      let today = context.today
      let back = habits.compactMap(\.goal?.days).max() ?? 1
      let state = try context.reader.state(range: today.adding(days: 1 - back)...today)
      let pauses = Array(state.pauses.values)
      let calendar = CivilCalendar(zone: context.zone)
      let days = habits.map { habit in
        (
          habit.id,
          Adherence.day(
            today, of: habit, days: state.days[habit.id] ?? [:], pauses: pauses,
            dayStart: context.settings.dayStart, calendar: calendar)
        )
      }
      return Dictionary(days) { first, _ in first }
    }
  }
}

extension Context {
  /// Returns the logical date on which an event was written, in the device's zone.
  fileprivate func date(of event: EventID) -> CivilDate {
    LogicalDate.of(
      Instant(milliseconds: event.timestamp.milliseconds), in: zone,
      dayStart: settings.dayStart)
  }
}
