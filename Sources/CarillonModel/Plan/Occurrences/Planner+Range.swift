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

  /// Returns the dates on which a plan depends for one habit.
  ///
  /// The range is larger than the common one if a schedule counts the days of a period or from an
  /// entry, or has nominal times far from the instants at which it fires, or if an older occurrence
  /// is snoozed. A state without the facts of other dates results in the same plan.
  ///
  /// - Parameters:
  ///   - snoozes: The habit's snoozes that were not cancelled.
  ///   - range: The result of ``range(now:including:)``.
  package static func range(
    of habit: Habit, snoozes: [Snooze] = [], in range: ClosedRange<CivilDate>
  ) -> ClosedRange<CivilDate> {
    var first = range.lowerBound.adding(days: -habit.daysAfterDue)
    for schedule in habit.schedules {
      if case .interval(let interval) = schedule.rule, interval.anchor != nil {
        let days = interval.seconds.flooredQuotient(by: 86_400) + 1
        first = min(first, range.lowerBound.adding(days: -days))
      }
    }
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

extension Habit {
  /// The most days after its due date at which an occurrence may fire, rounded up.
  fileprivate var daysAfterDue: Int {
    let relative = schedules.lazy.compactMap { schedule -> Schedule.Relative? in
      if case .relative(let relative) = schedule.rule { relative } else { nil }
    }
    return relative.map(\.daysAfterBase).max().map { max(0, $0) } ?? 0
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
