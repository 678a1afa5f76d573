import CarillonModel

/// The habits of a store, in which the import of a calendar finds the events that are there.
struct StoredHabits {
  /// The habit that has an event's reminder.
  struct Home {
    let habit: HabitID
    let title: String
    fileprivate let schedule: Schedule

    var revision: CalendarRevision? { schedule.revision }
  }

  private var homes: [ScheduleID: Home] = [:]
  private let habits: [HabitID: Habit]

  /// Creates the habits, including archived and deleted ones.
  init(_ habits: [Habit]) {
    self.habits = Dictionary(uniqueKeysWithValues: habits.map { ($0.id, $0) })
    for habit in habits {
      for schedule in habit.schedules where homes[schedule.id] == nil {
        homes[schedule.id] = Home(habit: habit.id, title: habit.title, schedule: schedule)
      }
    }
  }

  /// Returns the habit that has a reminder of the event; nil if there is none.
  func home(of event: CalendarHabit) -> Home? {
    event.habit.schedules.lazy.compactMap { homes[$0.id] }.first
  }

  /// Returns the habit that has the name of siblings, and their further habits; none if there is
  /// no further one.
  func habits(ofSiblings name: String, from source: String) -> [Habit] {
    var found: [Habit] = []
    while let further = habits[.further(found.count + 2, of: name, from: source)],
      // It is not the habit of an event that happens to have this name as its UID.
      !further.schedules.contains(where: { $0.id == .imported(of: further.id, named: "0") })
    {
      found.append(further)
    }
    guard !found.isEmpty, let first = habits[.imported(from: source, .uuid(name))] else {
      return found
    }
    return [first] + found
  }

  /// Whether a habit with events of a calendar was deleted.
  func haveDeleted(_ habit: HabitID) -> Bool {
    guard let habit = habits[habit], habit.isDeleted else { return false }
    return habit.schedules.contains { $0.revision != nil }
  }

  /// Whether the event comes from an export of this store, and not from another calendar.
  ///
  /// Its schedule may be removed since; the event then names its habit as the sibling.
  func haveExported(_ event: CalendarEvent) -> Bool {
    guard let schedule = CalendarExport.id(in: event.uid).flatMap({ ScheduleID($0) }) else {
      return false
    }
    let habit = CalendarExport.id(in: event.sibling).flatMap { HabitID($0) }
    return homes[schedule] != nil || habit.map { habits[$0] != nil } == true
  }
}

extension HabitID {
  /// Returns the ID of a further habit of siblings; the first one has the number 2.
  static func further(_ number: Int, of name: String, from source: String) -> HabitID {
    .imported(from: source, .uuid("\(name) \(number)"))
  }
}
