/// Finds the times of a schedule that the system can repeat by itself.
///
/// A schedule qualifies if it has no condition, no inactivity limit, no end and a shape that the
/// system supports, and if its start is not in the future. A time qualifies if every occurrence in
/// the horizon, and the next occurrence of each request even beyond it, fires at its nominal
/// instant and with the same loudness.
struct RepeatSearch {
  private let plan: SchedulePlan

  init(_ plan: SchedulePlan) {
    self.plan = plan
  }

  func repeats() -> SchedulePlan.Repeats {
    let (facts, range) = (plan.suppression.facts, plan.timetable.range)
    guard plan.suppression.isUnconditional, facts.habit.end == nil,
      facts.habit.start ?? range.today <= range.today, !plan.timetable.isRelative
    else { return .none }
    switch plan.timetable.pattern {
    case .moments: return .none
    case .interval(let interval):
      guard interval.window == nil else { return .none }
      guard interval.from <= plan.frame.now else {
        return .some(ChosenRepeats(areAll: false, after: interval.from))
      }
      return mayDiffer ? repeatsAfterLooking() : .all(count: 1)
    case .nominals(let nominals):
      guard let shape = nominals.shape, nominals.start ?? range.date <= range.date else {
        return .none
      }
      if let last = lastTimeBeforeStart(of: nominals) {
        return .some(ChosenRepeats(areAll: false, after: last))
      }
      let count = shape.requestCount * nominals.times.count
      // The next occurrence of a rare request may lie where the zone's changes are not known.
      let isRare = shape.shape == .monthly || shape.shape == .yearly
      return mayDiffer || isRare
        ? repeats(of: nominals, shape.shape, count: count) : .all(count: count)
    }
  }

  /// Returns the last instant between now and the rule's start at which one of its times falls on
  /// the start date, or nil if there is none.
  ///
  /// A repeating request would fire at that instant although the rule has not started.
  private func lastTimeBeforeStart(of nominals: Nominals) -> Instant? {
    guard case .moments(let dates) = nominals else { return nil }
    let (range, start) = (plan.timetable.range, dates.recurrence.start.dateTime)
    let now = CivilDateTime(civilSeconds: range.civilSeconds(at: plan.frame.now))
    return nominals.times.lazy.map { CivilDateTime(date: start.date, time: $0) }
      .last { $0 > now && $0 < start }.flatMap(range.instant)
  }

  /// Whether some occurrence may not fire at its nominal instant, which requires checking each of
  /// them.
  private var mayDiffer: Bool {
    plan.suppression.facts.suppressesSingleDates || !plan.suppression.facts.delivered.isEmpty
      || !plan.snoozed.isEmpty || plan.frame.hours != nil
      || plan.suppression.created.map { $0 > plan.frame.now } ?? false
      || !plan.timetable.range.window.gaps.isEmpty
  }

  private func differs(_ occurrence: Occurrence, isPassive: inout Bool?) -> Bool {
    let effect = plan.quietEffect(occurrence)
    guard effect == .none || effect == .passive else { return true }
    let isLouder = isPassive.map { $0 != (effect == .passive) } ?? false
    isPassive = effect == .passive
    return isLouder || plan.isSnoozed(occurrence) || plan.suppression.reason(occurrence) != nil
  }

  /// The result of checking each occurrence.
  private struct Findings {
    /// The next occurrence of each request.
    var next: [(trigger: RequestTrigger.Shape, occurrence: Occurrence)] = []
    /// The times with an occurrence that does not fire at its nominal instant or not as loudly as
    /// another.
    var different: [TimeOfDay] = []
    /// The instant of the first such occurrence.
    var after: Instant?
    var loudness: [TimeOfDay: Bool] = [:]
  }

  private func repeats(
    of nominals: Nominals, _ shape: RepeatShape, count: Int
  ) -> SchedulePlan.Repeats {
    let (now, end) = (plan.frame.now, plan.frame.end)
    var findings = Findings()
    var next = nominals.first(onOrAfter: plan.timetable.range.firstNominal(at: now))
    while let nominal = next {
      if let occurrence = plan.timetable.occurrence(at: nominal), occurrence.instant > now {
        let isAhead = occurrence.instant >= end
        if isAhead && findings.next.count == count { break }
        let trigger = shape.trigger(of: nominal)
        let isNext = !findings.next.contains { $0.trigger == trigger }
        if isNext { findings.next.append((trigger, occurrence)) }
        if isNext || !isAhead { look(at: occurrence, &findings) }
      }
      next = nominals.first(after: nominal)
    }
    let times = nominals.times.filter { !findings.different.contains($0) }
    return .some(
      ChosenRepeats(
        times: times, areAll: times.count == nominals.times.count,
        next: findings.next.map(\.occurrence).filter { times.contains($0.identity.time) }
          .sorted { $0.precedes($1) },
        after: findings.after))
  }

  private func look(at occurrence: Occurrence, _ findings: inout Findings) {
    let (time, nominal) = (occurrence.identity.time, occurrence.identity.civilSeconds)
    var isPassive = findings.loudness[time]
    let isShifted = plan.timetable.range.civilSeconds(at: occurrence.instant) != nominal
    if differs(occurrence, isPassive: &isPassive) || isShifted {
      findings.different.append(time)
      findings.after = min(findings.after ?? occurrence.instant, occurrence.instant)
    }
    findings.loudness[time] = isPassive
  }

  /// Returns the repetition of an interval.
  ///
  /// An interval is one request if all of its occurrences fire alike.
  private func repeatsAfterLooking() -> SchedulePlan.Repeats {
    guard let first = plan.firstAhead else { return .none }
    let single = firstSingle(from: first)
    var isPassive: Bool?
    var next: Occurrence? = first
    // One occurrence represents each range in which all occurrences behave alike.
    while let occurrence = next, occurrence == first || occurrence.instant < plan.frame.end {
      if let single, single <= occurrence.instant { break }
      if differs(occurrence, isPassive: &isPassive) {
        return .some(ChosenRepeats(areAll: false, after: occurrence.instant))
      }
      next = plan.timetable.first(from: plan.nextChange(after: occurrence))
    }
    guard let single else { return .some(ChosenRepeats(areAll: true, next: [first])) }
    return .some(ChosenRepeats(areAll: false, after: single))
  }

  /// Returns the instant of the first occurrence that was individually snoozed or delivered.
  private func firstSingle(from first: Occurrence) -> Instant? {
    let delivered = plan.suppression.facts.delivered.nominals(
      of: plan.suppression.schedule, in: first.revision)
    let single = plan.snoozed + delivered.compactMap { plan.timetable.occurrence(named: $0) }
    return single.lazy.map(\.instant).filter {
      $0 == first.instant || $0 > first.instant && $0 < plan.frame.end
    }.min()
  }
}
