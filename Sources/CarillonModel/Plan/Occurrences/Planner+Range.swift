extension Planner {
  /// Returns the dates around now whose entries, marks, receipts and snoozes every plan depends on.
  ///
  /// An explanation depends on one more date.
  ///
  /// Some habits depend on more dates; see ``range(of:snoozes:in:)``.
  package static func range(
    now: Instant, settings: PlanSettings, including date: CivilDate? = nil
  ) -> ClosedRange<CivilDate> {
    let day = now.clamped(to: CivilCalendar.instants).seconds.flooredQuotient(by: 86_400)
    let today = CivilDate(rawValue: Int32(clamping: day))
    // Zones differ by up to a day. Due dates and quiet hours add another day each.
    let first = today.adding(days: -4)
    let last = today.adding(days: settings.horizonDays + 16)
    return min(first, date ?? first)...max(last, date ?? last)
  }

  /// Returns the dates on which a plan depends for one habit.
  ///
  /// The range is larger than the common one if a schedule counts the days of a period or from an
  /// entry, has nominal times far from the instants at which it fires, or repeats monthly or
  /// yearly, or if an older occurrence is snoozed. A state without the facts of other dates results
  /// in the same plan.
  ///
  /// - Parameters:
  ///   - snoozes: The habit's snoozes that were not cancelled.
  ///   - range: The result of ``range(now:settings:including:)``.
  package static func range(
    of habit: Habit, snoozes: [Snooze] = [], in range: ClosedRange<CivilDate>
  ) -> ClosedRange<CivilDate> {
    let due = range.includingDueDates(of: habit)
    var (first, last) = (due.lowerBound, due.upperBound)
    for schedule in habit.schedules {
      if case .interval(let interval) = schedule.rule, interval.anchor != nil {
        let days = interval.seconds.flooredQuotient(by: 86_400) + 1
        first = min(first, range.lowerBound.adding(days: -days))
      }
      if case .recurrence = schedule.rule, !schedule.hasCondition {
        // The next occurrence of a yearly repetition may be a year ahead.
        last = max(last, range.upperBound.adding(days: 367))
      }
    }
    for snooze in snoozes where snooze.until != nil {
      first = min(first, snooze.nominal.date.adding(days: -2))
    }
    for schedule in habit.schedules {
      guard let quota = schedule.quota(of: habit) else { continue }
      first = min(first, quota.period.dates(around: first).lowerBound)
      last = max(last, quota.period.dates(around: last).upperBound)
    }
    return first...last
  }
}

extension ClosedRange<CivilDate> {
  /// Returns the range, widened by the due dates of occurrences that the habit's relative schedules
  /// shift into it.
  fileprivate func includingDueDates(of habit: Habit) -> Self {
    var (first, last) = (lowerBound, upperBound)
    for case .relative(let relative) in habit.schedules.lazy.map(\.rule) {
      let shifts = relative.shiftDays
      first = Swift.min(first, lowerBound.adding(days: -Swift.max(0, shifts.upperBound)))
      last = Swift.max(last, upperBound.adding(days: -Swift.min(0, shifts.lowerBound)))
    }
    return first...last
  }
}

extension Schedule.Relative {
  /// The number of days after its base's occurrences at which the rule may fire, rounded outwards.
  fileprivate var shiftDays: ClosedRange<Int> {
    let edge = edge == .end ? durationMinutes * 60 : 0
    let first = (edge + offsetSeconds).flooredQuotient(by: 86_400)
    let last = (edge + offsetSeconds + max(0, repeatCount) * repeatSeconds)
    return first...max(first, last.flooredQuotient(by: 86_400) + 1)
  }
}

extension Schedule {
  /// Returns the schedule's quota, or the habit's goal, if the schedule has a quota
  /// condition.
  func quota(of habit: Habit) -> Quota? {
    unless.contains(.quota) ? quota ?? habit.goal : nil
  }
}
