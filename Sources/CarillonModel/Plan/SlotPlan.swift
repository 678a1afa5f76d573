/// What planning needs to know of one slot: its dates, its silence, its zone and which of its times
/// the system may repeat.
struct SlotPlan {
  /// The two instants between which requests are planned, as bounds of one zone.
  struct Span {
    let window: ZoneWindow
    /// Nominal times fire after now when ``ZoneWindow/firing(_:)`` is at or after it.
    let first: Int
    /// And before the horizon's end when it is less than this.
    let end: Int
    /// What the zone's calendar shows now.
    let date: CivilDate
    /// The logical date of now in the zone.
    let today: CivilDate
  }

  let habit: Habit
  let slot: Slot
  let silence: Silence
  let span: Span
  let dayStart: TimeOfDay
  /// The times that are repeating requests.
  private(set) var repeatingTimes: Set<TimeOfDay> = []
  /// The civil seconds after which a time may become a repeating request that is none now.
  private(set) var repeatsAfter: Int?
  /// The dates between which occurrences are looked for.
  private(set) var firstDate: CivilDate
  private(set) var lastDate: CivilDate

  var rule: Rule { slot.rule }
  var window: ZoneWindow { span.window }

  init(habit: Habit, slot: Slot, silence: Silence, span: Span, dayStart: TimeOfDay) {
    self.habit = habit
    self.slot = slot
    self.silence = silence
    self.span = span
    self.dayStart = dayStart
    let today = CivilDateTime(civilSeconds: span.first).date
    firstDate = span.window.mixedDates(around: today)?.lowerBound ?? today
    lastDate = CivilDateTime(civilSeconds: span.end).date
    findRepeats()
    // A due date is its nominal date or the day before, so that no dates outside these can ring.
    if let start = habit.start { firstDate = max(firstDate, start) }
    let lastDue = [habit.end, silence.lastActiveDue].compactMap(\.self).min()
    if let lastDue { lastDate = min(lastDate, lastDue.adding(days: 1)) }
    if !repeatingTimes.isEmpty { lastDate = max(lastDate, lastRepeatDate) }
  }

  /// Adds the wanted occurrences of a date of the rule.
  func appendCandidates(on date: CivilDate, to found: inout [SlotCursor.Candidate]) {
    for time in slot.times {
      let nominal = CivilDateTime(date: date, time: time)
      guard let firing = futureFiring(of: nominal) else { continue }
      if repeatingTimes.contains(time) {
        guard isNext(nominal) else { continue }
        found.append(
          .init(nominal: nominal, firing: firing, repeating: rule.repeatTrigger(of: nominal)))
      } else if firing < span.end, reason(of: nominal) == nil {
        found.append(.init(nominal: nominal, firing: firing, repeating: nil))
      }
    }
  }

  /// When an occurrence fires, in civil seconds; nil if that is not after now, or on a date that
  /// the zone leaves out.
  private func futureFiring(of nominal: CivilDateTime) -> Int? {
    let seconds = nominal.civilSeconds
    let firing = window.firing(seconds)
    return firing >= span.first && firing - seconds < 86_400 ? firing : nil
  }

  private func reason(of nominal: CivilDateTime) -> Reason? {
    silence.reason(due: nominal.dueDate(dayStart: dayStart))
  }
}

// MARK: - What the system may repeat

extension SlotPlan {
  /// Finds the times that may be repeating requests.
  ///
  /// No condition, no cut-off, no end, a shape that the system knows, a start not ahead; and every
  /// occurrence in the horizon, and the next one of each request even beyond it, rings at its
  /// nominal instant. Dates are looked at only where facts or offset changes may silence or
  /// shift some.
  private mutating func findRepeats() {
    guard rule.repeatPeriodDays != nil, slot.unless.isEmpty, slot.inactivityDays == 0,
      habit.end == nil, habit.start ?? span.today <= span.today,
      rule.firstDate ?? span.date <= span.date
    else { return }
    let dates = datesThatMayDiffer()
    for time in slot.times {
      let different = dates.last { date in differs(CivilDateTime(date: date, time: time)) }
      if let different {
        let firing = window.firing(CivilDateTime(date: different, time: time).civilSeconds)
        repeatsAfter = min(repeatsAfter ?? firing, firing)
      } else {
        repeatingTimes.insert(time)
      }
    }
  }

  /// The last date on which the next occurrence of a repeating request may be.
  private var lastRepeatDate: CivilDate {
    let period = rule.repeatPeriodDays ?? 0
    let today = CivilDateTime(civilSeconds: span.first).date
    return today.adding(days: window.leavesOutDates ? 2 * period : period)
  }

  private func datesThatMayDiffer() -> [CivilDate] {
    if silence.hasFacts {
      let last = max(lastDate, lastRepeatDate)
      return (firstDate...max(firstDate, last)).filter(rule.contains)
    }
    return window.gaps.flatMap { gap in
      let first = CivilDateTime(civilSeconds: gap.lowerBound).date
      let last = CivilDateTime(civilSeconds: gap.upperBound - 1).date
      return (first...last).filter(rule.contains)
    }
  }

  /// Whether an occurrence that must ring at its nominal instant, if the system is to repeat it,
  /// does not.
  private func differs(_ nominal: CivilDateTime) -> Bool {
    guard let firing = futureFiring(of: nominal), firing < span.end || isNext(nominal) else {
      return false
    }
    return firing != nominal.civilSeconds || reason(of: nominal) != nil
  }

  /// Whether an occurrence after now is the first of its repeating request.
  private func isNext(_ nominal: CivilDateTime) -> Bool {
    guard let period = rule.repeatPeriodDays else { return false }
    let earlier = CivilDateTime(date: nominal.date.adding(days: -period), time: nominal.time)
    if futureFiring(of: earlier) != nil { return false }
    // The one before may be on a date that the zone leaves out; then the one before that decides.
    guard window.leavesOutDates else { return true }
    let earliest = CivilDateTime(date: nominal.date.adding(days: -2 * period), time: nominal.time)
    return futureFiring(of: earliest) == nil
  }
}
