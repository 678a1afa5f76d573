import CarillonModel

/// The habits of a store, in which the import of a calendar finds the events that are there.
struct StoredHabits {
  /// The habit that has an event's reminder.
  struct Home {
    let habit: HabitID
    let title: String
    let revision: CalendarRevision?
  }

  private var homes: [ScheduleID: Home] = [:]
  private let habits: Set<HabitID>

  /// Creates the habits, including archived and deleted ones.
  init(_ habits: [Habit]) {
    self.habits = Set(habits.map(\.id))
    for habit in habits {
      for schedule in habit.schedules where homes[schedule.id] == nil {
        homes[schedule.id] = Home(
          habit: habit.id, title: habit.title, revision: schedule.revision)
      }
    }
  }

  /// Returns the habit that has a reminder of the event; nil if there is none.
  func home(of event: CalendarHabit) -> Home? {
    event.habit.schedules.lazy.compactMap { homes[$0.id] }.first
  }

  /// Whether the event comes from an export of this store, and not from another calendar.
  ///
  /// Its schedule may be removed since; the event then names its habit as the sibling.
  func haveExported(_ event: CalendarEvent) -> Bool {
    guard let schedule = CalendarExport.id(in: event.uid).flatMap({ ScheduleID($0) }) else {
      return false
    }
    let habit = CalendarExport.id(in: event.sibling).flatMap { HabitID($0) }
    return homes[schedule] != nil || habit.map(habits.contains) == true
  }
}
