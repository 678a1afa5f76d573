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
  public func adherence(of id: HabitID) async throws(StoreError) -> Adherence {
    try await query { try $0.adherence(of: id) }
  }

  /// Returns the state of today for each habit, including archived and deleted habits.
  ///
  /// - Complexity: O(recorded dates of all habits, as far back as the longest goal reaches).
  public func adherenceToday() async throws(StoreError) -> [HabitID: Adherence.Day] {
    try await query { try $0.adherenceToday() }
  }

  /// Returns the habits in the order of ``habits(includingArchived:includingDeleted:)``, the date
  /// of today, the merged state of today, and the state of today for each habit, of one moment.
  package func habitsToday(
    includingArchived: Bool = false, includingDeleted: Bool = false
  ) async throws -> (
    habits: [Habit], date: CivilDate, state: StoreState, days: [HabitID: Adherence.Day]
  ) {
    try await read { context in
      let (habits, state, days) = try self.habitsToday(context)
      return (
        habits.listed(includingArchived: includingArchived, includingDeleted: includingDeleted),
        context.today, state, days
      )
    }
  }
}

extension Store {
  /// Returns all habits, the merged state of today, and the state of today for each habit.
  ///
  /// A habit with a reminder that counts from an entry is open if that reminder is due today.
  func habitsToday(
    _ context: Context
  ) throws -> (habits: [Habit], state: StoreState, days: [HabitID: Adherence.Day]) {
    var (habits, state, days) = try context.habitsToday()
    for habit in habits
    where days[habit.id] == .idle && habit.schedules.contains(where: \.countsFromEntries) {
      let planner = try self.planner(of: habit, since: context.now, context)
      if planner.isDueAfterEntry(habit.id, on: context.today) { days[habit.id] = .open }
    }
    return (habits, state, days)
  }
}

extension Context {
  func adherence(of id: HabitID) throws -> Adherence {
    try adherence(of: habit(id), pauses: reader.pauses())
  }

  /// Returns how well each of some habits was kept since a date.
  func adherence(of habits: [Habit], since date: CivilDate) throws -> [HabitID: Adherence] {
    let pauses = try reader.pauses()
    return try habits.reduce(into: [:]) {
      $0[$1.id] = try adherence(of: $1, since: date, pauses: pauses)
    }
  }

  private func adherence(
    of habit: Habit, since: CivilDate? = nil, pauses: [Pause]
  ) throws -> Adherence {
    let created = try reader.creation(of: habit.id).map(date(of:)) ?? today
    let known = since.map { since in
      min(since, today).adding(days: 1 - (habit.countedGoal?.period.length ?? 1))...today
    }
    return Adherence(
      of: habit, created: min(created, try reader.firstDay(of: habit.id) ?? created),
      schedules: try reader.schedulesCreated(of: habit.id)[habit.id] ?? [:],
      days: try reader.days(of: habit.id, range: known), pauses: pauses, today: today,
      dayStart: settings.dayStart, calendar: CivilCalendar(zone: zone), since: since)
  }

  fileprivate func habitsToday() throws -> (
    habits: [Habit], state: StoreState, days: [HabitID: Adherence.Day]
  ) {
    let habits = try reader.habits()
    let back = habits.compactMap(\.countedGoal?.period.length).max() ?? 1
    let state = try reader.state(of: habits, range: today.adding(days: 1 - back)...today)
    let pauses = Array(state.pauses.values)
    let calendar = CivilCalendar(zone: zone)
    let days = habits.map { habit in
      (
        habit.id,
        Adherence.day(
          today, of: habit, days: state.days[habit.id] ?? [:], pauses: pauses,
          dayStart: settings.dayStart, calendar: calendar)
      )
    }
    return (habits, state, Dictionary(uniqueKeysWithValues: days))
  }

  /// Returns the logical date on which an event was written, in the device's zone.
  private func date(of event: EventID) -> CivilDate {
    LogicalDate.of(
      Instant(milliseconds: event.timestamp.milliseconds), in: zone,
      dayStart: settings.dayStart)
  }
}
