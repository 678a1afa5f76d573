/// Determines the state of single dates of a habit.
struct AdherenceDates {
  let habit: Habit
  /// The goal over several days, or nil if each due date counts by itself.
  let goal: Quota?
  /// The dates on which one of the schedules is due, or nil if every date is due.
  private let due: DateSet?
  /// The due dates of which every time had passed when its schedule was added.
  private let addedTooLate: DateSet
  /// What is known of each date from the first to today.
  private var knownDays: [StoreState.Day?]
  private let pauses: [Pause]
  let today: CivilDate
  private let calendar: CivilCalendar
  /// The dates of ranges in which the goal was reached.
  private let covered: DateSet
  /// The first date whose state is computed.
  let first: CivilDate

  /// - Parameters:
  ///   - schedules: The instants at which the schedules were first set.
  ///   - since: The first date whose state is computed, if the habit is older.
  init(
    habit: Habit, created: CivilDate, schedules: [ScheduleID: Instant] = [:],
    known: StoreState.Days, pauses: [Pause], today: CivilDate, dayStart: TimeOfDay,
    calendar: CivilCalendar, since: CivilDate? = nil
  ) {
    self.habit = habit
    self.pauses = pauses
    self.today = today
    self.calendar = calendar
    goal = habit.countedGoal
    let start = min(habit.start ?? min(created, known.first?.date ?? created), today)
    first = min(max(start, since ?? start), today)
    knownDays = Array(repeating: nil, count: first.days(to: today) + 1)
    for (date, day) in known where date >= first && date <= today {
      knownDays[first.days(to: date)] = day
    }
    var due = DateSet(in: first...today)
    var inTime = due
    for schedule in habit.schedules {
      let rule = DueDates(of: schedule, dayStart: dayStart, calendar: calendar)
      var dates = rule.dates(in: first...today)
      due.formUnion(dates)
      if let added = schedules[schedule.id], let over = rule.dateOver(at: added) {
        dates.remove(over)
      }
      inTime.formUnion(dates)
    }
    self.due = habit.schedules.isEmpty ? nil : due
    due.subtract(inTime)
    addedTooLate = due
    covered = Self.covered(by: goal, in: first...today) {
      known.filter { $0.date >= start && $0.date <= today && habit.isKept($0.day) }.map(\.date)
    }
  }

  private static let noon: TimeOfDay = "12:00"

  /// Returns what is known of a date from the first to today.
  func known(_ date: CivilDate) -> StoreState.Day? { knownDays[first.days(to: date)] }

  /// Returns the state of a date by itself.
  ///
  /// The first rule that applies decides.
  func day(_ date: CivilDate) -> Adherence.Day {
    let day = known(date)
    if habit.isKept(day), !habit.isMaximum { return .done }
    if calendar.instant(of: CivilDateTime(date: date, time: Self.noon)) == nil { return .absent }
    if day?.mark == .skip { return .skipped }
    if pauses.contains(where: { $0.covers(date, of: habit.id) }) { return .paused }
    if covered.contains(date) { return .covered }
    guard habit.counts(date), isDue(date) else { return .idle }
    if habit.isMaximum { return habit.exceeds(day) ? .missed : date < today ? .done : .open }
    if isOver(date) { return addedTooLate.contains(date) ? .idle : .missed }
    // A goal names no date on which to do it, so only today is open.
    return goal != nil && date < today ? .idle : .open
  }

  /// Returns the state of each date from the first to today.
  ///
  /// Without a goal over several days, a completion on a date that is not due makes the due date
  /// before it late instead of missed.
  func all() -> [Adherence.Day] {
    var days = knownDays.indices.map { day(first.adding(days: $0)) }
    guard goal == nil, due != nil, !habit.isMaximum else { return days }
    /// The last due date, if it was missed and not done since.
    var missed: Int?
    for index in days.indices {
      let date = first.adding(days: index)
      if isDue(date), !addedTooLate.contains(date) {
        missed = days[index] == .missed ? index : nil
      } else if days[index] == .done, let late = missed {
        days[late] = .late
        missed = nil
      }
    }
    if let missed, habit.counts(today) { days[missed] = .open }
    return days
  }

  /// Returns the dates of some that were done although no schedule was due.
  ///
  /// None if the schedules have no dates at all.
  func extras(_ days: [Adherence.Day]) -> Set<CivilDate> {
    let hasDates = habit.schedules.contains { if case .place = $0.rule { false } else { true } }
    guard hasDates else { return [] }
    return Set(
      zip(first...today, days).lazy.filter { $1 == .done && !isDue($0) }.map(\.0))
  }

  /// Whether a schedule is due on a date.
  func isDue(_ date: CivilDate) -> Bool { due?.contains(date) ?? true }

  /// Whether a date can no longer be done or covered.
  private func isOver(_ date: CivilDate) -> Bool {
    switch goal?.period {
    case nil: date < today
    case .rolling(let days): date.days(to: today) >= days
    case .day, .week, .month: goal?.period.dates(around: date).contains(today) == false
    }
  }

  /// Returns the dates, of those given, in every range of the goal's period that contains enough
  /// done dates.
  ///
  /// A rolling range starts with a done date.
  private static func covered(
    by goal: Quota?, in dates: ClosedRange<CivilDate>, _ done: () -> [CivilDate]
  ) -> DateSet {
    var covered = DateSet(in: dates)
    guard let goal else { return covered }
    let done = done()
    for (index, date) in done.enumerated() {
      let last = index + goal.count - 1
      let range =
        if case .rolling(let days) = goal.period {
          date...date.adding(days: days - 1)
        } else {
          goal.period.dates(around: date)
        }
      guard done.indices.contains(last), range.contains(done[last]) else { continue }
      covered.insert(range)
    }
    return covered
  }
}

extension Habit {
  /// The goal over several days that replaces the rules: the habit's own, or the quota that all
  /// its schedules have in common.
  package var countedGoal: Quota? {
    if let goal { return goal.period.length > 1 ? goal : nil }
    guard let first = schedules.first?.quota(of: self), first.period.length > 1,
      schedules.allSatisfy({ $0.quota(of: self) == first })
    else { return nil }
    return first
  }

  /// Whether a date lies between the habit's start and end.
  func counts(_ date: CivilDate) -> Bool {
    date >= start ?? date && date <= end ?? date
  }

  /// Whether a target is a maximum.
  package var isMaximum: Bool { kind == .count && direction == .atMost && target != nil }

  /// Whether the amount of a date is above the maximum.
  package func exceeds(_ day: StoreState.Day?) -> Bool {
    guard isMaximum, let target, let day else { return false }
    return day.amount > target
  }

  /// Whether a date has an entry and counts as done once it is over.
  func isKept(_ day: StoreState.Day?) -> Bool {
    guard let day, day.entryCount > 0 else { return false }
    if isMaximum, let target { return day.amount <= target }
    if let goal, goal.period.length == 1, goal.count > 1 {
      return day.amount.thousandths >= Int64(goal.count) * 1_000
    }
    return day.isDone(self)
  }
}
