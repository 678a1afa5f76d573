extension Planner {
  /// Returns the dates whose entries, marks, receipts and snoozes every plan depends on: all from
  /// some days before now on.
  ///
  /// An explanation depends on the dates from its own on.
  ///
  /// Some habits depend on earlier dates; see ``range(of:snoozes:in:)``.
  package static func range(
    now: Instant, including date: CivilDate? = nil
  ) -> ClosedRange<CivilDate> {
    let day = now.clamped(to: CivilCalendar.instants).seconds.flooredQuotient(by: 86_400)
    let today = CivilDate(rawValue: Int32(clamping: day))
    // Zones differ by up to a day. Due dates and quiet hours add another day each.
    let first = today.adding(days: -4)
    return min(first, date ?? first)...CivilDate(rawValue: .max)
  }

  /// Returns the dates whose entries, marks, receipts and snoozes a plan from now on depends on:
  /// all from today on, or from the date on which quiet hours may have begun that have not ended.
  ///
  /// Some habits depend on earlier dates; see ``range(of:snoozes:in:)``.
  package static func range(now: Instant, settings: PlanSettings) -> ClosedRange<CivilDate> {
    let calendar = CivilCalendar(zone: settings.zone)
    let now = now.clamped(to: CivilCalendar.instants)
    var start = settings.store.quietHours == nil ? now : now.adding(seconds: -86_400)
    // A time that the clocks skipped fires later, and its due date may be the one before.
    let offset = calendar.offsetSeconds(at: start.adding(seconds: -2 * 86_400))
    if calendar.offsetSeconds(at: now) > offset { start = start.adding(seconds: -86_400) }
    let day = CivilDate(rawValue: Int32(clamping: start.seconds.flooredQuotient(by: 86_400)))
    // Intervals are named in UTC.
    let first = min(day, calendar.logicalDate(at: start, dayStart: settings.dayStart))
    return first...CivilDate(rawValue: .max)
  }

  /// Returns the dates on which a plan depends for one habit.
  ///
  /// The range is larger than the common one if a schedule has a zone of its own, counts the days
  /// of a period or from an entry, or has nominal times far from the instants at which it fires, or
  /// if an older occurrence is snoozed. A state without the facts of other dates results in the
  /// same plan.
  ///
  /// - Parameters:
  ///   - snoozes: The habit's snoozes that were not cancelled.
  ///   - range: The result of ``range(now:including:)`` or ``range(now:settings:)``.
  package static func range(
    of habit: Habit, snoozes: [Snooze] = [], in range: ClosedRange<CivilDate>
  ) -> ClosedRange<CivilDate> {
    let days = habit.schedules.lazy.map(\.daysBefore).max() ?? 0
    var first = range.lowerBound.adding(days: -days)
    for snooze in snoozes where snooze.until != nil {
      first = min(first, snooze.nominal.date.adding(days: -2))
    }
    for schedule in habit.schedules {
      guard let quota = schedule.quota(of: habit) else { continue }
      first = min(first, quota.period.dates(around: first).lowerBound)
    }
    return first...range.upperBound
  }
}

extension Schedule {
  /// The most days before the common dates whose facts the schedule depends on.
  fileprivate var daysBefore: Int {
    var days = 0
    // Zones differ by up to a day, the start of the day may add one, and skipped times another.
    if case .fixed = civilZone { days = 3 }
    switch rule {
    case .relative(let relative): days += 1 + max(0, relative.daysAfterBase)
    case .interval(let interval) where interval.anchor != nil:
      days += Self.daysOfEntries(within: interval.seconds)
    default: break
    }
    guard let seconds = doneWithinSeconds else { return days }
    return max(days, Self.daysOfEntries(within: seconds))
  }

  /// Returns the days before now on whose dates entries of a time may have been made.
  ///
  /// A person may make an entry some days after its date.
  private static func daysOfEntries(within seconds: Int) -> Int {
    seconds.flooredQuotient(by: 86_400) + 4
  }
}

extension Schedule.Relative {
  /// The most days after its base's occurrences at which the rule may fire, rounded up.
  fileprivate var daysAfterBase: Int {
    let edge = edge == .end ? durationMinutes * 60 : 0
    let last = edge + offsetSeconds + max(0, repeatCount) * repeatSeconds
    return last.flooredQuotient(by: 86_400) + 1
  }
}

extension Schedule {
  /// Returns the schedule's quota, or the habit's goal, if the schedule has a quota
  /// condition.
  func quota(of habit: Habit) -> Quota? {
    unless.contains(.quota) ? quota ?? habit.goal : nil
  }
}
