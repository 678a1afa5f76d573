/// How well a habit was kept: the state of each date since its start, the streaks, and the
/// completions in each week and month.
///
/// A date is *due* if a rule of one of the habit's schedules includes it. A relative schedule has
/// the dates of its base rule, and a place has no dates. If the habit has no schedule, every date
/// is due.
///
/// A goal over several days replaces the due dates, and so does a quota that all schedules of the
/// habit share. A range or period that contains enough completions is kept as a whole, whichever
/// dates were done, and a week or month owes its share of the goal.
///
/// <doc:HowStatisticsAreCounted> has the rules with examples.
public struct Adherence: Hashable, Sendable {
  /// The state of one date.
  public enum Day: String, Hashable, Sendable, CaseIterable {
    /// The date is done.
    ///
    /// For a habit with a maximum: it is over, and the maximum was not exceeded.
    case done
    /// The date itself is not done, but lies in a range in which the goal was reached.
    case covered
    /// The date was not done, but a later date before the next due date was.
    case late
    /// The date was due and is not done, or its maximum is exceeded.
    case missed
    /// The date is not done, but still can be: it is today, or no later date is due yet.
    case open
    /// The date is skipped, paused, not due, or does not exist in the zone.
    ///
    /// With a goal over several days, an earlier date is not due until the range of the goal is
    /// over. It neither continues nor breaks a streak.
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
    /// The number of due dates that were done, late ones included.
    ///
    /// With a goal over several days: the number of dates that were done.
    public let done: Int
    /// The number of due dates that were done or missed, never less than ``done``.
    ///
    /// With a goal over several days: the goal's count, scaled to the number of dates that count,
    /// rounded. The current week or month owes a goal of its own length in full. Of any other goal
    /// it owes the share of the dates so far, rounded down.
    public let due: Int
    /// Whether a goal of the period's own length is not reached, and the period is not over.
    package let isUndecided: Bool
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
  /// How strongly the habit is established, from 0 to 1.
  ///
  /// This is the score of Loop Habit Tracker; see <doc:HowStatisticsAreCounted>.
  package var strength: Double { strengths.last ?? 0 }
  /// The strength on each date from the first to today.
  package let strengths: [Double]
  /// The goal, if it is over several days.
  package let goal: Quota?
  /// The last date that counts.
  private let end: CivilDate?
  /// The dates that were done although none was due.
  private let extras: Set<CivilDate>

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
    return (0..<count).reversed().map { week(of: monday.adding(days: -7 * $0)) }
  }

  /// Returns the last calendar months up to the current one, the newest last.
  ///
  /// - Complexity: O(dates).
  public func months(_ count: Int) -> [Period] {
    var months: [Period] = []
    var date = today
    while months.count < count {
      months.append(period(.month, around: date))
      date = date.adding(days: -date.components.day)
    }
    return months.reversed()
  }

  /// Returns the ISO week of a date, which must not be after the current week.
  ///
  /// - Complexity: O(1).
  package func week(of date: CivilDate) -> Period { period(.week, around: date) }

  private func period(_ length: Quota.Period, around date: CivilDate) -> Period {
    let whole = length.dates(around: date)
    let dates = whole.lowerBound...min(whole.upperBound, today)
    guard let goal else {
      let done = dates.count { self[$0] == .late || self[$0] == .done && !extras.contains($0) }
      return Period(
        dates: dates, done: done, due: done + dates.count { self[$0] == .missed },
        isUndecided: false)
    }
    let done = dates.count { self[$0] == .done }
    let isOver = !whole.contains(today)
    let isWhole = isOver || goal.period.isAsLong(as: length)
    let counted = isWhole ? whole.count(where: counts) : dates.count(where: countsSoFar)
    let days = goal.period.dates(around: date).count
    let share = (goal.count * counted * 2 + (isWhole ? days : 0)) / (2 * days)
    return Period(
      dates: dates, done: done, due: max(done, share),
      isUndecided: !isOver && isWhole && done < share)
  }

  /// Whether a date counts for the share of a goal.
  private func counts(_ date: CivilDate) -> Bool {
    date >= first && date <= end ?? date && ![.skipped, .paused, .absent].contains(self[date])
  }

  /// Whether a date counts for the share of a goal until today, and is over or done.
  private func countsSoFar(_ date: CivilDate) -> Bool {
    counts(date) && (date < today || self[date] == .done)
  }
}

extension Quota.Period {
  /// Whether a goal over this period is one for a week or a month.
  fileprivate func isAsLong(as length: Quota.Period) -> Bool {
    switch (self, length) {
    case (.week, .week), (.month, .month), (.rolling(days: 7), .week): true
    case (.rolling(let days), .month): (28...31).contains(days)
    default: false
    }
  }
}

extension Adherence {
  /// Computes the adherence from what is known of a habit's dates.
  ///
  /// - Parameters:
  ///   - habit: The habit.
  ///   - created: The date on which the habit was created.
  ///   - schedules: The instants at which its schedules were first set. A date of which every time
  ///     had passed by then is not missed.
  ///   - known: The entries and marks of its dates. Those after today are ignored.
  ///   - pauses: The pauses, of this or any other habit.
  ///   - today: The current date.
  ///   - dayStart: The time at which a day begins. An earlier time counts towards the previous day.
  ///   - calendar: The device's calendar, which determines the dates that its zone skips.
  ///   - since: The first date that counts, if the habit is older: streaks and strength begin on
  ///     it. What is known must reach back as far as the goal before it.
  /// - Complexity: O(dates since the first x pauses).
  package init(
    of habit: Habit, created: CivilDate, schedules: [ScheduleID: Instant] = [:],
    days known: StoreState.Days, pauses: [Pause], today: CivilDate,
    dayStart: TimeOfDay = .midnight, calendar: CivilCalendar, since: CivilDate? = nil
  ) {
    let dates = AdherenceDates(
      habit: habit, created: created, schedules: schedules, known: known,
      pauses: pauses.filter { ($0.habit ?? habit.id) == habit.id }, today: today,
      dayStart: dayStart, calendar: calendar, since: since)
    self.today = today
    goal = dates.goal
    end = habit.end
    first = dates.first
    days = dates.all()
    extras = dates.extras(days)
    strengths = dates.strengths(days)
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
    _ today: CivilDate, of habit: Habit, days known: StoreState.Days, pauses: [Pause],
    dayStart: TimeOfDay = .midnight, calendar: CivilCalendar
  ) -> Day {
    AdherenceDates(
      habit: habit, created: today, known: known,
      pauses: pauses.filter { ($0.habit ?? habit.id) == habit.id }, today: today,
      dayStart: dayStart, calendar: calendar, since: today
    ).day(today)
  }

  /// Returns the last streak and the longest one.
  ///
  /// Only a missed date ends a streak. A late date counts with the completion after it.
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
      case .late, .open, .skipped, .paused, .idle, .absent: break
      }
    }
    return (running, longest)
  }
}
