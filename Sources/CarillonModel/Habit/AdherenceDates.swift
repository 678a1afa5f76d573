/// Determines the state of single dates of a habit.
struct AdherenceDates {
  private let habit: Habit
  /// The dates on which one of the schedules is due, or nil if every date is due.
  private let due: Set<CivilDate>?
  private let known: [CivilDate: StoreState.Day]
  private let pauses: [Pause]
  private let today: CivilDate
  private let calendar: CivilCalendar
  /// The dates of ranges in which the goal was reached.
  private let covered: Set<CivilDate>
  let first: CivilDate

  /// - Parameter asked: The requested dates. Nil for the first date to today.
  init(
    habit: Habit, created: CivilDate, known: [CivilDate: StoreState.Day], pauses: [Pause],
    today: CivilDate, dayStart: TimeOfDay, calendar: CivilCalendar,
    asked: ClosedRange<CivilDate>? = nil
  ) {
    self.habit = habit
    self.known = known
    self.pauses = pauses
    self.today = today
    self.calendar = calendar
    first = min(habit.start ?? min(created, known.keys.min() ?? created), today)
    due =
      habit.schedules.isEmpty || (habit.goal?.days ?? 1) > 1
      ? nil
      : habit.schedules.reduce(into: []) { [first] dates, schedule in
        dates.formUnion(
          DueDates(of: schedule, dayStart: dayStart, calendar: calendar)
            .dates(in: asked ?? first...today))
      }
    covered = Self.covered(by: habit.goal) { [first] in
      known.keys.filter { $0 >= first && $0 <= today && habit.isKept(known[$0]) }.sorted()
    }
  }

  /// Returns the state of a date.
  ///
  /// The first rule that applies decides.
  func day(_ date: CivilDate) -> Adherence.Day {
    let day = known[date]
    if habit.isKept(day) { return .done }
    if calendar.instant(of: CivilDateTime(date: date, time: "12:00")) == nil { return .absent }
    if day?.mark == .skip { return .skipped }
    if pauses.contains(where: { $0.covers(date, of: habit.id) }) { return .paused }
    if covered.contains(date) { return .covered }
    if let start = habit.start, date < start { return .idle }
    if let end = habit.end, date > end { return .idle }
    guard due?.contains(date) ?? true else { return .idle }
    return date.days(to: today) < range ? .open : .missed
  }

  /// The number of days over which the goal counts, or 1 without a goal.
  private var range: Int { habit.goal?.days ?? 1 }

  /// Returns the dates of every range that starts with a done date and contains enough of them.
  private static func covered(
    by goal: Goal?, _ done: () -> [CivilDate]
  ) -> Set<CivilDate> {
    guard let goal, goal.days > 1 else { return [] }
    let done = done()
    var covered: Set<CivilDate> = []
    for (index, date) in done.enumerated() {
      let last = index + goal.count - 1
      guard done.indices.contains(last), date.days(to: done[last]) < goal.days else { continue }
      covered.formUnion(date...date.adding(days: goal.days - 1))
    }
    return covered
  }
}

extension Habit {
  /// Whether a date counts as done once it is over.
  fileprivate func isKept(_ day: StoreState.Day?) -> Bool {
    guard let day, day.entryCount > 0 else { return false }
    if kind == .count, direction == .atMost, let target { return day.amount <= target }
    if let goal, goal.days == 1, goal.count > 1 {
      return day.amount.thousandths >= Int64(goal.count) * 1_000
    }
    return day.isDone(self)
  }
}
