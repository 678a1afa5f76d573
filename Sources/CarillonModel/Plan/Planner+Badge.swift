extension Planner {
  /// How many occurrences are due today, have fired, and are not done: the number on the app's
  /// icon, absolute.
  ///
  /// What is skipped, paused or otherwise silent is not due.
  public func badgeCount() -> Int {
    var zones = ZoneWindows(
      calendar: calendar, from: now, to: horizonEnd, dayStart: settings.dayStart)
    let today = zones.own.today
    return slotPlans(in: &zones).plans.reduce(0) { count, plan in
      guard plan.silence.reason(due: today) == nil, !plan.silence.isDone(on: today) else {
        return count
      }
      return count + plan.firedCount(dueOn: today)
    }
  }
}

extension SlotPlan {
  /// How many occurrences that are due on a date have fired.
  fileprivate func firedCount(dueOn date: CivilDate) -> Int {
    [date, date.adding(days: 1)].filter(rule.contains).reduce(0) { count, nominal in
      count
        + slot.times.count { time in
          let nominal = CivilDateTime(date: nominal, time: time)
          return nominal.dueDate(dayStart: dayStart) == date && span.hasFired(nominal)
        }
    }
  }
}
