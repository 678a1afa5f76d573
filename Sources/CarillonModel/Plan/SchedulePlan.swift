/// What planning needs to know of one schedule: its timetable, its silence, what the system
/// repeats.
///
/// Of a relative schedule there is one for each repeat.
///
/// A class, since merging asks for one again and again, and need not retain its parts for that.
final class SchedulePlan {
  /// The index of the schedule in its habit.
  let index: Int
  let timetable: Timetable
  let suppression: Suppression
  let frame: PlanFrame
  let quietPolicy: QuietPolicy
  /// The occurrences that a snooze moves.
  private(set) var snoozed: [Occurrence] = []
  /// What the system repeats by itself.
  private(set) var repeats = Repeats.none

  /// What the system repeats of a schedule.
  enum Repeats {
    case none
    /// All times, as they come: the first so many after now are the next of each request.
    case all(count: Int)
    /// Some times, or all after a closer look.
    case some(ChosenRepeats)
  }

  var facts: HabitFacts { suppression.facts }
  var habit: Habit { suppression.facts.habit }
  var schedule: Schedule { suppression.facts.habit.schedules[index] }

  init(
    _ index: Int, of facts: HabitFacts, _ timetable: consuming Timetable, frame: PlanFrame
  ) {
    self.index = index
    self.timetable = timetable
    suppression = Suppression(facts, schedule: index, lastActive: frame.lastActive)
    self.frame = frame
    quietPolicy = facts.habit.schedules[index].quietPolicy
  }

  /// Takes the occurrences that are snoozed, then finds what may be repeated.
  func complete(snoozed: [Occurrence] = []) {
    self.snoozed = snoozed
    repeats = RepeatSearch(self).repeats()
  }

  /// Whether a snooze moves an occurrence.
  func isSnoozed(_ occurrence: Occurrence) -> Bool {
    !snoozed.isEmpty && snoozed.contains(occurrence)
  }

  /// What quiet hours do to an occurrence that is not snoozed.
  func quietEffect(_ occurrence: Occurrence) -> QuietEffect {
    frame.hours == nil
      ? .none : frame.quietEffect(at: occurrence.instant, quietPolicy, isSnoozed: false)
  }

  /// The next occurrence that is a request at its own instant: the first after now, or the one
  /// after another.
  ///
  /// - Parameter count: How many came before.
  func next(after last: Occurrence?, count: Int) -> Occurrence? {
    if case .all(let all) = repeats { return count < all ? following(last) : nil }
    if case .some(let chosen) = repeats, chosen.areAll { return nil }
    let lastDue = suppression.lastDue?.adding(days: 1)
    var next = following(last)
    while let occurrence = next, occurrence.instant < frame.end {
      // Around a gap what is due a day earlier may fire later.
      if let lastDue, occurrence.due > lastDue { return nil }
      if isSingle(occurrence) { return occurrence }
      next = followingSilent(occurrence)
    }
    return nil
  }

  /// The first occurrence after now, or the one after another.
  private func following(_ last: Occurrence?) -> Occurrence? {
    // Not by a closure, which would copy the timetable.
    if let last { timetable.next(after: last) } else { firstAhead }
  }

  /// The first occurrence after now.
  var firstAhead: Occurrence? {
    timetable.first(from: Instant(milliseconds: frame.now.milliseconds + 1))
  }

  /// The repeating request of an occurrence that is one of the schedule's requests, where it is
  /// none of its own.
  func repeating(_ occurrence: Occurrence) -> RequestTrigger.Shape? {
    if case .all = repeats { trigger(occurrence) } else { nil }
  }

  private func isSingle(_ occurrence: Occurrence) -> Bool {
    if case .some(let chosen) = repeats, chosen.times.contains(occurrence.identity.time) {
      return false
    }
    if suppression.reason(occurrence) != nil || isSnoozed(occurrence) { return false }
    return !isMoved(occurrence)
  }

  /// Whether quiet hours drop or defer it.
  private func isMoved(_ occurrence: Occurrence) -> Bool {
    frame.hours != nil && ![.none, .passive].contains(quietEffect(occurrence))
  }

  /// The occurrence after one that is silent; of an interval the first after all that are silent
  /// for the same reason, so that not each is looked at.
  private func followingSilent(_ occurrence: Occurrence) -> Occurrence? {
    guard timetable.isInterval else { return timetable.next(after: occurrence) }
    if let end = suppression.endOfEntry(before: occurrence.instant) {
      return timetable.first(from: end)
    }
    guard suppression.reason(due: occurrence.due, at: nil) != nil || isMoved(occurrence) else {
      return timetable.next(after: occurrence)
    }
    return timetable.first(from: nextChange(after: occurrence))
  }

  /// The first instant after an occurrence at which what is due is of another date, quiet hours
  /// begin or end, or the clocks are set: until then all fire or are silent alike, but those that
  /// were shown or snoozed themselves.
  func nextChange(after occurrence: Occurrence) -> Instant {
    let next = CivilDateTime(date: occurrence.due.adding(days: 1), time: frame.dayStart)
    guard let day = timetable.range.instant(of: next), day > occurrence.instant else {
      return Instant(milliseconds: occurrence.instant.milliseconds + 1)
    }
    let clocks = timetable.range.window.changes.first { $0.second > occurrence.instant.seconds }
    let quiet = frame.hours == nil ? nil : frame.nextQuietChange(after: occurrence.instant)
    return min(day, quiet ?? day, clocks.map { Instant(seconds: $0.second) } ?? day)
  }
}

/// The times of a schedule that the system repeats, where not all or only after a closer look.
final class ChosenRepeats {
  /// The times that are repeating requests; of an interval none.
  let times: [TimeOfDay]
  /// Whether nothing else is left of the schedule.
  let areAll: Bool
  /// Each request's next occurrence, in their order.
  let next: [Occurrence]
  /// When a time may become a repeating request that is none now.
  let after: Instant?

  init(times: [TimeOfDay] = [], areAll: Bool, next: [Occurrence] = [], after: Instant? = nil) {
    self.times = times
    self.areAll = areAll
    self.next = next
    self.after = after
  }
}

extension SchedulePlan {
  /// The repeating request to which an occurrence would belong.
  func trigger(_ occurrence: Occurrence) -> RequestTrigger.Shape? {
    switch timetable.pattern {
    case .interval(let interval):
      interval.window == nil ? .every(seconds: interval.seconds) : nil
    case .nominals(let nominals):
      timetable.isRelative ? nil : nominals.shape?.shape.trigger(of: occurrence.identity)
    }
  }
}
