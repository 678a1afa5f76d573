/// Finds which times of a slot may be repeating requests of the system.
///
/// No condition, no cut-off, no end, a shape that the system knows, a start not ahead; and every
/// occurrence in the horizon, and the next one of each request even beyond it, rings at its nominal
/// instant with the same loudness.
struct RepeatSearch {
  private let plan: SlotPlan
  private let slot: Slot

  init(_ plan: SlotPlan) {
    self.plan = plan
    slot = plan.slot
  }

  func repeats() -> SlotPlan.Repeats {
    guard plan.silence.isUnconditional, plan.habit.end == nil,
      plan.habit.start ?? plan.timetable.span.today <= plan.timetable.span.today
    else { return .init() }
    switch (slot.rule, plan.timetable.pattern) {
    case (.interval(let interval), _): return repeats(of: interval)
    case (.relative, _): return .init()
    case (_, .nominals(let nominals)):
      guard let shape = nominals.shape,
        nominals.start ?? plan.timetable.span.date <= plan.timetable.span.date
      else { return .init() }
      return repeats(of: nominals, shape.shape, count: shape.requestCount)
    case (_, .interval): return .init()
    }
  }

  /// Whether some occurrence may not ring at its nominal instant, so that each has to be looked at.
  private var mayDiffer: Bool {
    plan.silence.facts.silencesSingleDates || !plan.silence.facts.shown.isEmpty
      || !plan.snoozed.isEmpty || plan.frame.hours != nil
      || !plan.timetable.span.window.gaps.isEmpty
  }

  private func differs(_ occurrence: Occurrence, isPassive: inout Bool?) -> Bool {
    let effect = plan.quietEffect(occurrence)
    guard effect == .none || effect == .passive else { return true }
    let isLouder = isPassive.map { $0 != (effect == .passive) } ?? false
    isPassive = effect == .passive
    return isLouder || plan.isSnoozed(occurrence) || plan.silence.reason(occurrence) != nil
  }

  // MARK: - Times of dates

  private func repeats(
    of nominals: Nominals, _ shape: RepeatShape, count: Int
  ) -> SlotPlan.Repeats {
    let (timetable, now, end) = (plan.timetable, plan.frame.now, plan.frame.end)
    let wantedCount = count * nominals.times.count
    let mayDiffer = mayDiffer
    var repeats = SlotPlan.Repeats()
    var different: [TimeOfDay] = []
    var loudness: [TimeOfDay: Bool] = [:]
    var next = nominals.first(onOrAfter: timetable.span.firstNominal(at: now))
    while let nominal = next {
      if let occurrence = timetable.occurrence(at: nominal), occurrence.instant > now {
        let isAhead = occurrence.instant >= end
        if isAhead && repeats.next.count == wantedCount { break }
        let trigger = shape.trigger(of: nominal)
        let isNext = !repeats.next.contains { $0.trigger == trigger }
        if isNext { repeats.next.append((trigger, Ring(occurrence, of: plan))) }
        if mayDiffer && (isNext || !isAhead) {
          var isPassive = loudness[nominal.time]
          let isShifted =
            timetable.span.civilSeconds(at: occurrence.instant) != nominal.civilSeconds
          if differs(occurrence, isPassive: &isPassive) || isShifted {
            different.append(nominal.time)
            repeats.after = min(repeats.after ?? occurrence.instant, occurrence.instant)
          }
          loudness[nominal.time] = isPassive
        }
      }
      if !mayDiffer && repeats.next.count == wantedCount { break }
      next = nominals.first(after: nominal)
    }
    return settled(&repeats, nominals.times, different)
  }

  private func settled(
    _ repeats: inout SlotPlan.Repeats, _ times: [TimeOfDay], _ different: [TimeOfDay]
  ) -> SlotPlan.Repeats {
    repeats.times = different.isEmpty ? times : times.filter { !different.contains($0) }
    repeats.isWhole = repeats.times.count == times.count
    if !repeats.isWhole {
      repeats.next.removeAll { different.contains($0.ring.occurrence.identity.time) }
    }
    setLoudness(&repeats)
    repeats.next.sort { ($0.ring.fireAt) < ($1.ring.fireAt) }
    return repeats
  }

  /// Each is as loud as its next occurrence, and so are all of them.
  private func setLoudness(_ repeats: inout SlotPlan.Repeats) {
    guard plan.frame.hours != nil else { return }
    for index in repeats.next.indices {
      let effect = plan.quietEffect(repeats.next[index].ring.occurrence)
      repeats.next[index].ring.isPassive = effect == .passive
    }
  }

  // MARK: - Intervals

  private func repeats(of interval: Interval) -> SlotPlan.Repeats {
    var repeats = SlotPlan.Repeats()
    let now = plan.frame.now
    guard interval.window == nil, interval.from <= now,
      let first = plan.timetable.first(from: Instant(milliseconds: now.milliseconds + 1))
    else { return repeats }
    var isPassive: Bool?
    var next: Occurrence? = first
    while mayDiffer, let occurrence = next,
      occurrence == first || occurrence.instant < plan.frame.end
    {
      if differs(occurrence, isPassive: &isPassive) {
        repeats.after = occurrence.instant
        return repeats
      }
      next = plan.timetable.next(after: occurrence)
    }
    repeats.isWhole = true
    repeats.next = [(.every(seconds: interval.seconds), Ring(first, of: plan))]
    setLoudness(&repeats)
    return repeats
  }
}
