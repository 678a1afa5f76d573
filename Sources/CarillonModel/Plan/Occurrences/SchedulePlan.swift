/// The planning data of one schedule: its timetable, its suppression, and the requests that the
/// system repeats.
///
/// A relative schedule has one for each repeat.
///
/// A class, because merging accesses each schedule many times and must not retain its parts each
/// time.
final class SchedulePlan {
  /// The index of the schedule in its habit.
  let index: Int
  let timetable: Timetable
  let suppression: Suppression
  let frame: PlanFrame
  let quietPolicy: QuietPolicy
  /// Whether the schedule fires on one date only.
  let isOnce: Bool
  /// The occurrences that a snooze moves.
  private(set) var snoozed: [Occurrence] = []
  /// The requests that the system repeats by itself.
  private(set) var repeats = Repeats.none
  /// The request whose ID was computed last.
  private var named: (occurrence: Occurrence, trigger: RequestTrigger.Shape?, id: RequestID)?

  /// The part of a schedule that the system repeats.
  enum Repeats {
    case none
    /// All times, with `count` repeating requests.
    ///
    /// The first `count` occurrences after now are the next ones of these requests.
    case all(count: Int)
    /// Some of the times, or all of them after a check of each occurrence.
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
    isOnce =
      switch facts.habit.schedules[index].rule {
      case .once: true
      case .relative(let relative): if case .once = relative.base { true } else { false }
      default: false
      }
  }

  /// Returns the ID of an occurrence's own request, or of a repeating request with a trigger.
  ///
  /// The ID, which costs a hash, is compared while places are reserved and again in the merge.
  func requestID(of occurrence: Occurrence, _ trigger: RequestTrigger.Shape?) -> RequestID {
    if let named, named.occurrence == occurrence, named.trigger == trigger { return named.id }
    let id =
      if let trigger {
        RequestID(habit: facts.habit.id, schedule: suppression.schedule, trigger: trigger)
      } else {
        suppression.id(of: occurrence, in: occurrence.revision).requestID
      }
    named = (occurrence, trigger, id)
    return id
  }

  /// Sets the snoozed occurrences, then finds the times that the system can repeat.
  func complete(snoozed: [Occurrence] = []) {
    self.snoozed = snoozed
    repeats = frame.repeats ? RepeatSearch(self).repeats() : .none
  }

  /// The times of day that the system repeats.
  ///
  /// Empty for an interval and for single instants.
  var repeatedTimes: [TimeOfDay] {
    switch repeats {
    case .none: return []
    case .some(let chosen): return chosen.times
    case .all:
      return switch timetable.pattern {
      case .nominals(let nominals): nominals.times
      case .interval: []
      case .moments: []
      }
    }
  }

  /// Plans some of the repeated times as requests for single occurrences.
  func withdraw(_ times: Set<TimeOfDay>) {
    var next: [Occurrence] = []
    var after: Instant?
    switch repeats {
    case .none: return
    case .all(let count):
      while next.count < count, let one = self.next(after: next.last, count: next.count) {
        next.append(one)
      }
    case .some(let chosen): (next, after) = (chosen.next, chosen.after)
    }
    repeats = .some(
      ChosenRepeats(
        times: repeatedTimes.filter { !times.contains($0) }, areAll: false,
        next: next.filter { !times.contains($0.identity.time) }, after: after))
  }

  /// Whether a snooze moves an occurrence.
  func isSnoozed(_ occurrence: Occurrence) -> Bool {
    !snoozed.isEmpty && snoozed.contains(occurrence)
  }

  /// Returns the effect of quiet hours on an occurrence that is not snoozed.
  func quietEffect(_ occurrence: Occurrence) -> QuietEffect {
    frame.hours == nil
      ? .none : frame.quietEffect(at: occurrence.instant, quietPolicy, isSnoozed: false)
  }

  /// Returns the next occurrence that has a request at its own instant: the first after now, or the
  /// first after another occurrence.
  ///
  /// - Parameter count: The number of occurrences returned before.
  func next(after last: Occurrence?, count: Int) -> Occurrence? {
    if case .all(let all) = repeats { return count < all ? following(last) : nil }
    if case .some(let chosen) = repeats, chosen.areAll { return nil }
    let lastDue = suppression.lastDue?.adding(days: 1)
    var next = following(last)
    while let occurrence = next, occurrence.instant < frame.end {
      // Around a gap, an occurrence that is due a day earlier may fire later.
      if let lastDue, occurrence.due > lastDue { return nil }
      if isSingle(occurrence) { return occurrence }
      next = followingSilent(occurrence)
    }
    return nil
  }

  /// Returns the first occurrence after now, or the one after another occurrence.
  private func following(_ last: Occurrence?) -> Occurrence? {
    // Not a closure, which would copy the timetable.
    if let last { timetable.next(after: last) } else { firstAhead }
  }

  /// The first occurrence after now.
  var firstAhead: Occurrence? {
    timetable.first(from: Instant(milliseconds: frame.now.milliseconds + 1))
  }

  /// Returns the trigger of the repeating request for one of the schedule's next occurrences, or
  /// nil if the occurrence has its own request.
  func repeating(_ occurrence: Occurrence) -> RequestTrigger.Shape? {
    if case .all = repeats { trigger(occurrence) } else { nil }
  }

  private func isSingle(_ occurrence: Occurrence) -> Bool {
    if case .some(let chosen) = repeats, chosen.times.contains(occurrence.identity.time) {
      return false
    }
    if suppression.reason(occurrence) != nil || isSnoozed(occurrence) { return false }
    return !quietHoursMove(occurrence)
  }

  /// Whether quiet hours drop or defer an occurrence.
  private func quietHoursMove(_ occurrence: Occurrence) -> Bool {
    frame.hours != nil && ![.none, .passive].contains(quietEffect(occurrence))
  }

  /// Returns the occurrences between two instants, in order.
  func occurrences(from start: Instant, before end: Instant) -> [Occurrence] {
    var found: [Occurrence] = []
    var next = timetable.first(from: start)
    while let occurrence = next, occurrence.instant < end {
      found.append(occurrence)
      next = timetable.next(after: occurrence)
    }
    return found
  }

  /// Returns the occurrence after a suppressed one.
  ///
  /// With many occurrences a day, the first one after all that are suppressed for the same reason,
  /// which avoids checking each of them.
  private func followingSilent(_ occurrence: Occurrence) -> Occurrence? {
    guard timetable.isDense else { return timetable.next(after: occurrence) }
    if let end = suppression.endOfEntry(before: occurrence.instant) {
      return timetable.first(from: end)
    }
    guard suppression.reason(due: occurrence.due, at: nil) != nil || quietHoursMove(occurrence)
    else {
      return timetable.next(after: occurrence)
    }
    return timetable.first(from: nextChange(after: occurrence))
  }

  /// Returns the first instant after an occurrence at which the due date changes, quiet hours begin
  /// or end, or the clocks change.
  ///
  /// Until then all occurrences fire or are suppressed alike, except those that were individually
  /// delivered or snoozed.
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

/// The times of a schedule that the system repeats, if only some of them repeat or each occurrence
/// had to be checked.
final class ChosenRepeats {
  /// The times that are repeating requests.
  ///
  /// Empty for an interval.
  let times: [TimeOfDay]
  /// Whether these requests cover the whole schedule.
  let areAll: Bool
  /// The next occurrence of each request, in order.
  let next: [Occurrence]
  /// The instant after which a time may become a repeating request that is not one now.
  let after: Instant?

  init(times: [TimeOfDay] = [], areAll: Bool, next: [Occurrence] = [], after: Instant? = nil) {
    self.times = times
    self.areAll = areAll
    self.next = next
    self.after = after
  }
}

extension SchedulePlan {
  /// Returns the trigger of the repeating request to which an occurrence would belong.
  func trigger(_ occurrence: Occurrence) -> RequestTrigger.Shape? {
    switch timetable.pattern {
    case .interval(let interval):
      interval.window == nil ? .every(seconds: interval.seconds) : nil
    case .moments: nil
    case .nominals(let nominals):
      timetable.isRelative ? nil : nominals.shape?.shape.trigger(of: occurrence.identity)
    }
  }
}
