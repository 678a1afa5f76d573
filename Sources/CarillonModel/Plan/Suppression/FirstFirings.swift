/// The first reminder of a habit on a date ahead.
package struct FirstFiring: Hashable, Sendable {
  /// The instant at which it fires.
  package let instant: Instant
  /// Whether it is planned now; otherwise it is planned once it is nearer, once it fits, or once
  /// something is recorded, without which it stops before.
  package let isPlanned: Bool

  /// Whether this is the one to name: the one that is planned, or else the sooner one.
  fileprivate func precedes(_ other: FirstFiring) -> Bool {
    isPlanned == other.isPlanned ? instant < other.instant : isPlanned
  }
}

/// The first reminders of a habit on some dates.
package struct FirstFirings: Sendable {
  /// The dates on which one will fire on this device, or will once it is planned.
  package fileprivate(set) var byDate: [CivilDate: FirstFiring] = [:]
  /// The number of occurrences that were explained to find them.
  package fileprivate(set) var computedCount = 0
}

extension Explainer {
  /// Returns the first reminder of a habit on each of some dates; planned ones come first.
  ///
  /// A reminder belongs to the date on which it fires, from one start of the day to the next. That
  /// may not be its due date.
  ///
  /// - Complexity: O(schedules x dates), and the occurrences that are suppressed, that something
  ///   moves, or that the system repeats.
  package func firstFirings(
    of habit: HabitID, on dates: ClosedRange<CivilDate>
  ) -> FirstFirings {
    guard let habit = planner.state.habits[habit] else { return FirstFirings() }
    let frame = frame(around: dates)
    let plan = planner.habitPlan(habit, frame)
    func start(of date: CivilDate) -> Instant {
      planner.calendar.instant(of: CivilDateTime(date: date, time: frame.dayStart))
        ?? planner.calendar.firstInstant(of: date)
    }
    var found = FirstFirings()
    /// Returns whether no later occurrence of the schedule is better on the date.
    func add(_ one: PlacedOccurrence) -> Bool {
      found.computedCount += 1
      let explained = explain(one.occurrence, one.placement, one.schedule)
      guard let fireAt = explained.fireAt, explained.mayFire(asOf: planner.today) else {
        return false
      }
      let next = FirstFiring(instant: fireAt, isPlanned: explained.reason == .planned)
      let date = frame.date(at: fireAt)
      if dates.contains(date), found.byDate[date].map(next.precedes) ?? true {
        found.byDate[date] = next
      }
      return fireAt == one.occurrence.instant && (next.isPlanned || !one.schedule.mayRepeat)
    }
    // Quiet hours defer an occurrence by less than a day, and a digest fires before its members.
    let next = Instant(milliseconds: planner.now.milliseconds + 1)
    let first = max(start(of: dates.lowerBound), next)
      .adding(seconds: frame.hours == nil ? 0 : -86_400)
    let end = start(of: dates.upperBound.adding(days: 1))
      .adding(seconds: planner.settings.store.digest?.seconds ?? 0)
    for schedule in plan.schedules {
      var next = schedule.timetable.first(from: first)
      while let one = next, one.instant < end {
        // Snoozed occurrences may fire on any date, and are added below.
        guard !schedule.isSnoozed(one), add(plan.placed(one, schedule)) else {
          next = schedule.timetable.next(after: one)
          continue
        }
        let nextDate = start(of: frame.date(at: one.instant).adding(days: 1))
        // A clock that is set back over midnight shows a date twice.
        next = schedule.timetable.first(
          from: max(nextDate, Instant(milliseconds: one.instant.milliseconds + 1)))
      }
    }
    for snooze in plan.snoozes { _ = add(plan.placed(snooze.occurrence, snooze.schedule)) }
    return found
  }
}

extension SchedulePlan {
  /// Whether the system repeats some of the times, so that a later time of a date may be planned
  /// although an earlier one does not fit.
  fileprivate var mayRepeat: Bool {
    if case .none = repeats { false } else { true }
  }
}

extension Explanation {
  /// Whether the occurrence is ahead and planned, or will be if the person goes on as until today.
  fileprivate func mayFire(asOf today: CivilDate) -> Bool {
    switch (reason, detail) {
    case _ where isPast: false
    case (.planned, _), (.beyondHorizon, _), (.overCapacity, _): true
    case (.inactive, .inactive(let since, let days)): since.adding(days: days) >= today
    default: false
    }
  }
}
