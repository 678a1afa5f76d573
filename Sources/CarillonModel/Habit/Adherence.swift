/// How well a habit was kept: each date since it began, the streaks, and what was done in each
/// week and month.
///
/// A date is *due* where a rule of one of the habit's schedules has it, also that of which a
/// schedule is so long before or after; a place has no dates. Where the habit has no schedule,
/// every date is.
///
/// A goal of so many times in more than one day replaces the rules: whatever the dates, a range
/// is kept that holds as many, and a week or month owes its share of the goal.
public struct Adherence: Hashable, Sendable {
  /// What one date was.
  public enum Day: String, Hashable, Sendable, CaseIterable {
    /// Done; a habit with a target at most: recorded, and not above it.
    case done
    /// Not done itself, but within a range in which the goal was reached.
    case covered
    /// Due and not done.
    case missed
    /// Not done, but it still can be: today, or the range of the goal is not over.
    case open
    /// Skipped, paused, not due, or left out by the zone: neither keeps a streak nor breaks it.
    case skipped, paused, idle, absent
  }

  /// Dates that were kept one after the other, but for those that pass through.
  public struct Streak: Hashable, Sendable {
    /// How many dates were kept; at least 1.
    public let length: Int
    /// From the first kept date to the last.
    public let dates: ClosedRange<CivilDate>
  }

  /// One week or month.
  public struct Period: Hashable, Sendable {
    /// Its dates, up to today.
    public let dates: ClosedRange<CivilDate>
    /// How many of them were done.
    public let done: Int
    /// How many of them were done or should have been, never less than were done; today counts
    /// once it is done.
    ///
    /// With a goal over several days: the goal's count, scaled to those of the dates that count,
    /// rounded.
    public let due: Int
  }

  /// The last date: today.
  public let today: CivilDate
  /// The first date: the habit's start, or where it has none the earlier of its creation and the
  /// first of which something is known.
  public let first: CivilDate
  /// What each date from the first to today was.
  public let days: [Day]
  /// The streak that today may go on; nil where the last date that counts was missed.
  public let streak: Streak?
  /// The longest streak, the earliest of equal ones.
  public let longest: Streak?
  /// The goal, where it is over several days.
  private let goal: Goal?

  /// What a date was; idle before the first.
  public subscript(date: CivilDate) -> Day {
    let index = first.days(to: date)
    return days.indices.contains(index) ? days[index] : .idle
  }

  /// The ISO weeks, from Monday, up to that of today; the newest last.
  ///
  /// - Complexity: O(dates).
  public func weeks(_ count: Int) -> [Period] {
    let monday = today.adding(days: 1 - Int(today.weekday.rawValue))
    return (0..<count).reversed().map { back in
      let start = monday.adding(days: -7 * back)
      return period(start...min(start.adding(days: 6), today))
    }
  }

  /// The calendar months up to that of today; the newest last.
  ///
  /// - Complexity: O(dates).
  public func months(_ count: Int) -> [Period] {
    var months: [Period] = []
    var last = today
    while months.count < count {
      let start = last.adding(days: 1 - last.components.day)
      months.append(period(start...last))
      last = start.adding(days: -1)
    }
    return months.reversed()
  }

  private func period(_ dates: ClosedRange<CivilDate>) -> Period {
    let days = dates.map { self[$0] }
    let done = days.count { $0 == .done }
    guard let goal else {
      return Period(dates: dates, done: done, due: done + days.count { $0 == .missed })
    }
    let counting = zip(dates, days).count { date, day in
      switch day {
      case .done, .covered, .missed: true
      case .open: date < today
      case .skipped, .paused, .idle, .absent: false
      }
    }
    let share = (2 * goal.count * counting + goal.days) / (2 * goal.days)
    return Period(dates: dates, done: done, due: max(done, share))
  }
}

extension Adherence {
  /// Folds what is known of a habit's dates.
  ///
  /// - Parameters:
  ///   - created: The date on which the habit was created.
  ///   - days: What is known of its dates; those after today do not matter.
  ///   - pauses: Pauses of any habit.
  ///   - today: The date of now.
  ///   - dayStart: When a day begins: a time before it is due the day before.
  ///   - calendar: The device's, which knows the dates that its zone leaves out.
  /// - Complexity: O(dates since the first x pauses).
  public init(
    of habit: Habit, created: CivilDate, days known: [CivilDate: State.Day], pauses: [Pause],
    today: CivilDate, dayStart: TimeOfDay = .midnight, calendar: CivilCalendar
  ) {
    let dates = AdherenceDates(
      habit: habit, created: created, known: known,
      pauses: pauses.filter { ($0.habit ?? habit.id) == habit.id }, today: today,
      dayStart: dayStart, calendar: calendar)
    self.today = today
    goal = habit.goal.flatMap { $0.days > 1 ? $0 : nil }
    first = dates.first
    days = (dates.first...today).map(dates.day)
    (streak, longest) = Self.streaks(days, from: dates.first)
  }

  /// What today is of a habit.
  ///
  /// - Parameters:
  ///   - known: What is known of its dates, as far back as its goal reaches.
  ///   - pauses: Pauses of any habit.
  ///   - dayStart: When a day begins.
  /// - Complexity: O(dates known).
  public static func day(
    _ today: CivilDate, of habit: Habit, days known: [CivilDate: State.Day], pauses: [Pause],
    dayStart: TimeOfDay = .midnight, calendar: CivilCalendar
  ) -> Day {
    AdherenceDates(
      habit: habit, created: today, known: known,
      pauses: pauses.filter { ($0.habit ?? habit.id) == habit.id }, today: today,
      dayStart: dayStart, calendar: calendar, asked: today...today
    ).day(today)
  }

  /// Nothing but a missed date ends a streak.
  private static func streaks(
    _ days: [Day], from first: CivilDate
  ) -> (last: Streak?, longest: Streak?) {
    var (running, longest): (Streak?, Streak?)
    for (index, day) in days.enumerated() {
      switch day {
      case .missed: running = nil
      case .done, .covered:
        let date = first.adding(days: index)
        let next = Streak(
          length: (running?.length ?? 0) + 1, dates: (running?.dates.lowerBound ?? date)...date)
        running = next
        if next.length > longest?.length ?? 0 { longest = next }
      case .open, .skipped, .paused, .idle, .absent: break
      }
    }
    return (running, longest)
  }
}
