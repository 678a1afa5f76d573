/// An occurrence that the person can snooze.
package struct SnoozableOccurrence: Hashable, Sendable {
  /// The occurrence, in the revision that it has before the snooze.
  package let occurrence: OccurrenceID
  /// The instant at which the occurrence fires unless something moves it.
  package let instant: Instant
  /// Whether its date is done.
  package let isDateDone: Bool
}

/// When and how a snoozed notification fires.
package struct SnoozeEffect: Hashable, Sendable {
  /// The instant at which the notification fires, or another one that represents it at the end of
  /// quiet hours.
  package let fireAt: Instant
  /// Whether quiet hours remove the sound.
  package let isSilent: Bool
}

extension Planner {
  /// Returns the occurrence of a habit that a snooze applies to: the one that fired last within 24
  /// hours, unless its schedule does not fire on a date that is done and its date is.
  ///
  /// If several fired at that instant, it is the one with the lowest ID. If none fired, it is the
  /// last one that only a quota, an entry or inactivity suppressed, because a snooze outranks them.
  ///
  /// - Parameters:
  ///   - habit: The habit.
  ///   - until: The end of the snooze.
  ///   - schedules: The instant at which each schedule was last set. Before that instant none of
  ///     its occurrences fired. A schedule that is missing here always existed.
  /// - Returns: The occurrence, or nil if there is none.
  package func snoozable(
    _ habit: HabitID, until: Instant, schedules: [ScheduleID: Instant] = [:]
  ) -> SnoozableOccurrence? {
    let start = now.adding(seconds: -86_400)
    let passed = passed(habit, since: start, schedules: schedules).filter { one in
      one.obstacle(toSnoozingUntil: until) == nil
    }
    let last = passed.last(where: \.hasFired) ?? passed.last { $0.reason?.yieldsToSnooze ?? false }
    return last.map { one in
      SnoozableOccurrence(
        occurrence: one.schedule.suppression.id(of: one.occurrence, in: one.occurrence.revision),
        instant: one.occurrence.instant,
        isDateDone: state.isDone(one.schedule.habit, on: one.due))
    }
  }

  /// Returns why the last occurrence of a habit within 24 hours would not fire at the end of a
  /// snooze; nil if it would, or if there was none since its schedule exists.
  ///
  /// The parameters are those of ``snoozable(_:until:schedules:)``.
  package func obstacle(
    toSnoozing habit: HabitID, until: Instant, schedules: [ScheduleID: Instant] = [:]
  ) -> Explanation? {
    let passed = passed(habit, since: now.adding(seconds: -86_400), schedules: schedules)
    let last = passed.last.flatMap { one in
      one.obstacle(toSnoozingUntil: until).map { (one, $0) }
    }
    guard let (one, reason) = last, reason != .beforeStart else { return nil }
    let firing = Firing(one.occurrence, of: one.schedule)
    return Explanation(
      schedule: one.schedule.schedule.id, nominal: firing.localNominal,
      number: one.occurrence.number, due: one.due, reason: reason, id: firing.id, fireAt: nil,
      detail: one.schedule.detail(
        of: reason, due: one.due, at: until, movedTo: one.schedule.fireAt(ofSnoozeUntil: until)),
      isPast: false)
  }

  /// Returns the effect of quiet hours on a snoozed notification.
  ///
  /// - Parameters:
  ///   - occurrence: The snoozed occurrence.
  ///   - until: The end of the snooze.
  package func effect(ofSnoozing occurrence: SnoozableOccurrence, until: Instant) -> SnoozeEffect {
    let id = occurrence.occurrence
    let schedule = state.habits[id.habit]?.schedules.first { $0.id == id.schedule }
    let frame = frame(from: now, to: horizonEnd)
    let effect = frame.quietEffect(
      at: until, schedule?.quietPolicy ?? .deferred, isSnoozed: true)
    return switch effect {
    case .deferred(let end): SnoozeEffect(fireAt: end, isSilent: false)
    case .passive: SnoozeEffect(fireAt: until, isSilent: true)
    case .none, .dropped: SnoozeEffect(fireAt: until, isSilent: false)
    }
  }
}

extension FiredOccurrence {
  /// Returns why the occurrence would not fire at the end of a snooze; nil if it would.
  fileprivate func obstacle(toSnoozingUntil until: Instant) -> Explanation.Reason? {
    schedule.reason(occurrence, snoozedUntil: until, fireAt: schedule.fireAt(ofSnoozeUntil: until))
  }
}
