/// How well a habit was kept: the state of each date since its start, the streaks, and the
/// completions in each week and month.
///
/// A date is *due* if a rule of one of the habit's schedules includes it. A relative schedule has
/// the dates of its base rule, and a place has no dates. If the habit has no schedule, every date
/// is due.
///
/// A goal over more than one day replaces the rules. Regardless of due dates, a range of the goal's
/// days is kept if it contains the goal's number of completions, and a week or month owes its share
/// of the goal.
public struct Adherence: Hashable, Sendable {
  /// The state of one date.
  public enum Day: String, Hashable, Sendable, CaseIterable {
    /// The date is done.
    ///
    /// For a habit with a maximum: it has an entry and does not exceed the maximum.
    case done
    /// The date itself is not done, but lies in a range in which the goal was reached.
    case covered
    /// The date was due and is not done.
    case missed
    /// The date is not done, but still can be: it is today, or the range of the goal is not over.
    case open
    /// The date is skipped, paused, not due, or does not exist in the zone.
    ///
    /// It neither continues nor breaks a streak.
    case skipped, paused, idle, absent
  }

  /// A series of kept dates without a missed one in between.
  public struct Streak: Hashable, Sendable {
    /// The number of kept dates, at least 1.
    public let length: Int
    /// The dates from the first kept date to the last.
    public let dates: ClosedRange<CivilDate>
  }

  /// One week or month.
  public struct Period: Hashable, Sendable {
    /// The period's dates, up to today.
    public let dates: ClosedRange<CivilDate>
    /// The number of dates that were done.
    public let done: Int
    /// The number of dates that were done or should have been, never less than ``done``.
    ///
    /// Today counts once it is done.
    ///
    /// With a goal over several days: the goal's count, scaled to the number of dates that count,
    /// rounded.
    public let due: Int
  }

  /// The last date, which is today.
  public let today: CivilDate
  /// The first date: the habit's start, or without a start the earlier of its creation and its
  /// first date with a fact.
  public let first: CivilDate
  /// The state of each date from the first to today.
  public let days: [Day]
  /// The streak that today can continue, or nil if the last date that counts was missed.
  public let streak: Streak?
  /// The longest streak, or the earliest of several with that length.
  public let longest: Streak?
  /// The goal, if it is over several days.
  private let goal: Goal?

  /// The state of a date.
  ///
  /// Dates before the first are idle.
  public subscript(date: CivilDate) -> Day {
    let index = first.days(to: date)
    return days.indices.contains(index) ? days[index] : .idle
  }

  /// Returns the last ISO weeks up to the current one, the newest last.
  ///
  /// A week starts on Monday.
  ///
  /// - Complexity: O(dates).
  public func weeks(_ count: Int) -> [Period] {
    let monday = today.adding(days: 1 - Int(today.weekday.rawValue))
    return (0..<count).reversed().map { back in
      let start = monday.adding(days: -7 * back)
      return period(start...min(start.adding(days: 6), today))
    }
  }

  /// Returns the last calendar months up to the current one, the newest last.
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
  /// Computes the adherence from what is known of a habit's dates.
  ///
  /// - Parameters:
  ///   - habit: The habit.
  ///   - created: The date on which the habit was created.
  ///   - known: The entries and marks of its dates. Those after today are ignored.
  ///   - pauses: The pauses, of this or any other habit.
  ///   - today: The current date.
  ///   - dayStart: The time at which a day begins. An earlier time counts towards the previous day.
  ///   - calendar: The device's calendar, which determines the dates that its zone skips.
  /// - Complexity: O(dates since the first x pauses).
  package init(
    of habit: Habit, created: CivilDate, days known: [CivilDate: StoreState.Day], pauses: [Pause],
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

  /// Returns the state of today.
  ///
  /// - Parameters:
  ///   - today: The current date.
  ///   - habit: The habit.
  ///   - known: The entries and marks of its dates, as far back as its goal reaches.
  ///   - pauses: The pauses, of this or any other habit.
  ///   - dayStart: The time at which a day begins. An earlier time counts towards the previous day.
  ///   - calendar: The device's calendar, which determines the dates that its zone skips.
  /// - Complexity: O(dates known).
  package static func day(
    _ today: CivilDate, of habit: Habit, days known: [CivilDate: StoreState.Day], pauses: [Pause],
    dayStart: TimeOfDay = .midnight, calendar: CivilCalendar
  ) -> Day {
    AdherenceDates(
      habit: habit, created: today, known: known,
      pauses: pauses.filter { ($0.habit ?? habit.id) == habit.id }, today: today,
      dayStart: dayStart, calendar: calendar, asked: today...today
    ).day(today)
  }

  /// Returns the last streak and the longest one.
  ///
  /// Only a missed date ends a streak.
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
