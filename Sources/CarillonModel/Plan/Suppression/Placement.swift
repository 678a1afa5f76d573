/// The instant at which an occurrence fires, and the reason if it does not.
struct Placement {
  /// The instant at which the occurrence fires or would fire.
  let fireAt: Instant
  /// The reason why the occurrence does not fire, up to and including quiet hours, or nil if it
  /// fires.
  let reason: Explanation.Reason?
  /// The occurrence as it fires.
  let firing: Firing

  /// Whether nothing suppresses the occurrence except an earlier delivery.
  var fires: Bool { reason == nil || reason == .delivered }
}

extension HabitPlan {
  /// Returns the placement of an occurrence, without regard to the current time, other devices and
  /// the capacity.
  func placement(of occurrence: Occurrence, _ schedule: SchedulePlan) -> Placement {
    let snooze = snoozes.first { $0.schedule === schedule && $0.occurrence == occurrence }
    let firing = snooze?.firing ?? Firing(occurrence, of: schedule)
    let suppression = snooze.map(\.reason) ?? schedule.suppression.reason(occurrence)
    // A delivered occurrence is still deferred, so that callers can tell whether it counts.
    let effect = snooze.map(\.quietEffect) ?? schedule.quietEffect(occurrence)
    if let suppression, suppression != .delivered {
      let fireAt = snooze?.fireAt ?? firing.fireAt
      return Placement(fireAt: fireAt, reason: suppression, firing: firing)
    }
    switch effect {
    case .none, .passive:
      return Placement(fireAt: firing.fireAt, reason: suppression, firing: firing)
    case .dropped:
      return Placement(fireAt: firing.fireAt, reason: suppression ?? .quietHours, firing: firing)
    case .deferred(let until):
      if suppression == nil, schedule.isPaused(occurrence, movedTo: until) {
        return Placement(fireAt: until, reason: .paused, firing: firing)
      }
      if suppression == nil, batch(at: until).representative?.isSame(as: firing) == false {
        return Placement(fireAt: firing.fireAt, reason: .quietHours, firing: firing)
      }
      return Placement(fireAt: until, reason: suppression, firing: firing)
    }
  }
}

/// An occurrence, with when and how it fires.
struct PlacedOccurrence {
  let occurrence: Occurrence
  let placement: Placement
  let schedule: SchedulePlan
}

extension HabitPlan {
  /// Returns the occurrences that are due on a date.
  func placements(dueOn date: CivilDate) -> [PlacedOccurrence] {
    schedules.flatMap { schedule in
      schedule.timetable.occurrences(dueOn: date).map { placed($0, schedule) }
    }
  }

  /// Returns the occurrences that may fire on some dates, or be recorded as delivered on them,
  /// whatever their due dates.
  ///
  /// - Complexity: O(occurrences from two days before the dates until a day after them), and the
  ///   snoozed ones.
  func placements(
    around dates: ClosedRange<CivilDate>, _ calendar: CivilCalendar
  ) -> [PlacedOccurrence] {
    // Quiet hours and the start of the day each shift an occurrence by up to a day, and a digest
    // fires before its members.
    let start = calendar.firstInstant(of: dates.lowerBound.adding(days: -2))
    let end = calendar.firstInstant(of: dates.upperBound.adding(days: 2))
    let near = schedules.flatMap { schedule in
      schedule.occurrences(from: start, before: end).map { placed($0, schedule) }
    }
    let far = snoozes.filter { $0.occurrence.instant < start || $0.occurrence.instant >= end }
    return near + far.map { placed($0.occurrence, $0.schedule) }
  }

  /// Returns an occurrence with its placement.
  func placed(_ occurrence: Occurrence, _ schedule: SchedulePlan) -> PlacedOccurrence {
    PlacedOccurrence(
      occurrence: occurrence, placement: placement(of: occurrence, schedule), schedule: schedule)
  }
}
