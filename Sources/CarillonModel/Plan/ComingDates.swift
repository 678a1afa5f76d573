/// The dates of a slot that are ahead, and which of its times the system may repeat by itself.
struct ComingDates {
  let rule: Rule
  let times: [TimeOfDay]
  /// Whether the slot rings whatever was done or not.
  let isUnconditional: Bool
  let silence: Silence
  let span: ZoneSpan
  let dayStart: TimeOfDay
  /// The first date of which an occurrence may fire after now.
  let firstDate: CivilDate
  /// The last date of which one may fire before the horizon's end.
  let lastDate: CivilDate

  init(
    rule: Rule, times: [TimeOfDay], isUnconditional: Bool, silence: Silence, span: ZoneSpan,
    dayStart: TimeOfDay
  ) {
    self.rule = rule
    self.times = times
    self.isUnconditional = isUnconditional
    self.silence = silence
    self.span = span
    self.dayStart = dayStart
    let today = CivilDateTime(civilSeconds: span.first).date
    firstDate = span.window.mixedDates(around: today)?.lowerBound ?? today
    lastDate = CivilDateTime(civilSeconds: span.end).date
  }

  /// The last date on which the next occurrence of a repeating request may be.
  var lastRepeatDate: CivilDate {
    let period = rule.repeatPeriodDays ?? 0
    let today = CivilDateTime(civilSeconds: span.first).date
    return today.adding(days: span.window.leavesOutDates ? 2 * period : period)
  }

  /// The times that may be repeating requests, and the civil seconds after which another may.
  ///
  /// No condition, no cut-off, no end, a shape that the system knows, a start not ahead; and every
  /// occurrence in the horizon, and the next one of each request even beyond it, rings at its
  /// nominal instant. Dates are looked at only where facts or offset changes may silence or
  /// shift some.
  func repeats() -> (times: [TimeOfDay], after: Int?) {
    guard mayRepeat else { return ([], nil) }
    let dates = datesThatMayDiffer
    if dates.isEmpty { return (times, nil) }
    var repeating: [TimeOfDay] = []
    var after: Int?
    for time in times {
      let different = dates.lazy.map { CivilDateTime(date: $0, time: time) }.last(where: differs)
      if let different {
        let firing = span.window.firing(different.civilSeconds)
        after = min(after ?? firing, firing)
      } else {
        repeating.append(time)
      }
    }
    return (repeating, after)
  }

  private var mayRepeat: Bool {
    rule.repeatPeriodDays != nil && isUnconditional
      && silence.facts.habit.end == nil && silence.facts.habit.start ?? span.today <= span.today
      && rule.firstDate ?? span.date <= span.date
  }

  private var datesThatMayDiffer: [CivilDate] {
    if silence.hasFacts {
      let last = max(firstDate, lastDate, lastRepeatDate)
      return (firstDate...last).filter(rule.contains)
    }
    return span.window.gaps.flatMap { gap in
      let first = CivilDateTime(civilSeconds: gap.lowerBound).date
      let last = CivilDateTime(civilSeconds: gap.upperBound - 1).date
      return (first...last).filter(rule.contains)
    }
  }

  /// Whether an occurrence that must ring at its nominal instant, if the system is to repeat it,
  /// does not.
  private func differs(_ nominal: CivilDateTime) -> Bool {
    guard let firing = span.futureFiring(of: nominal),
      firing < span.end || span.isNext(nominal, of: rule)
    else { return false }
    return firing != nominal.civilSeconds
      || silence.reason(due: nominal.dueDate(dayStart: dayStart)) != nil
  }
}
