extension Planner {
  /// The dates around now whose entries, marks, receipts and snoozes every plan depends on, and an
  /// explanation of one more date.
  ///
  /// Of some habits more is needed; see ``range(of:snoozes:in:)``.
  public static func range(
    now: Instant, settings: PlanSettings, including date: CivilDate? = nil
  ) -> ClosedRange<CivilDate> {
    let day = now.clamped(to: CivilCalendar.instants).seconds.flooredQuotient(by: 86_400)
    let today = CivilDate(rawValue: Int32(clamping: day))
    // Zones are up to a day apart, due dates and quiet hours another one each.
    let first = today.adding(days: -4)
    let last = today.adding(days: settings.horizonDays + 16)
    return min(first, date ?? first)...max(last, date ?? last)
  }

  /// The dates of one habit on which a plan depends: more than those of all where a schedule counts
  /// the days of a period, names what is far from when it fires, repeats monthly or yearly, or
  /// where an older occurrence is snoozed.
  ///
  /// A state that leaves out what is known of other dates gives the same plan.
  ///
  /// - Parameters:
  ///   - snoozes: Those of the habit that were not taken back.
  ///   - range: What ``range(now:settings:including:)`` gives.
  public static func range(
    of habit: Habit, snoozes: [Snooze] = [], in range: ClosedRange<CivilDate>
  ) -> ClosedRange<CivilDate> {
    var (first, last) = (range.lowerBound, range.upperBound)
    for schedule in habit.schedules {
      if case .relative(let relative) = schedule.rule {
        let shifts = relative.shiftDays
        first = min(first, range.lowerBound.adding(days: -max(0, shifts.upperBound)))
        last = max(last, range.upperBound.adding(days: -min(0, shifts.lowerBound)))
      }
      if case .recurrence = schedule.rule, !schedule.hasCondition {
        // The next of a yearly repetition may lie so far ahead.
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

extension Relative {
  /// How many days after its base's occurrences it may fire, rounded outwards.
  fileprivate var shiftDays: ClosedRange<Int> {
    let edge = edge == .end ? durationMinutes * 60 : 0
    let first = (edge + offsetSeconds).flooredQuotient(by: 86_400)
    let last = (edge + offsetSeconds + max(0, repeatCount) * repeatSeconds)
    return first...max(first, last.flooredQuotient(by: 86_400) + 1)
  }
}

extension Schedule {
  /// How often is enough for it, where it asks.
  func quota(of habit: Habit) -> Quota? {
    unless.contains(.quota) ? quota ?? habit.goal.flatMap(Quota.init) : nil
  }
}
