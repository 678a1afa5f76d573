/// The dates of a slot that are ahead, and which of its times the system may repeat by itself.
struct ComingDates {
  let dates: RuleDates
  let times: [TimeOfDay]
  let silence: Silence
  let span: ZoneSpan
  let dayStart: TimeOfDay

  /// Whether an occurrence does not ring, for what is known of its due date.
  func isSilent(_ nominal: CivilDateTime) -> Bool {
    silence.reason(nominal, due: nominal.dueDate(dayStart: dayStart)) != nil
  }

  /// The last date on which the next occurrence of a repeating request may be.
  var lastRepeatDate: CivilDate {
    let period = dates.repeatPeriodDays ?? 0
    return span.firingDate.adding(days: span.window.leavesOutDates ? 2 * period : period)
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
    dates.repeatPeriodDays != nil && silence.isUnconditional
      && silence.facts.habit.end == nil && silence.facts.habit.start ?? span.today <= span.today
      && dates.start ?? span.date <= span.date
  }

  private var datesThatMayDiffer: [CivilDate] {
    if silence.facts.silenceSingleDates {
      let last = max(span.firstDate, span.lastDate, lastRepeatDate)
      return (span.firstDate...last).filter(dates.contains)
    }
    // Nearly all slots; most of the planning's time was spent on lists that stayed empty.
    if silence.shown.isEmpty && span.window.gaps.isEmpty { return [] }
    // What was shown and is still ahead: in another zone, or by a clock that is ahead.
    let shown = silence.shown.filter { span.futureFiring(of: $0) != nil }.map(\.date)
      .filter(dates.contains)
    let shifted = span.window.gaps.flatMap { gap in
      let first = CivilDateTime(civilSeconds: gap.lowerBound).date
      let last = CivilDateTime(civilSeconds: gap.upperBound - 1).date
      return (first...last).filter(dates.contains)
    }
    return shown.isEmpty ? shifted : (shown + shifted).sorted()
  }

  /// Whether an occurrence that must ring at its nominal instant, if the system is to repeat it,
  /// does not.
  private func differs(_ nominal: CivilDateTime) -> Bool {
    guard let firing = span.futureFiring(of: nominal),
      firing < span.end || span.isNext(nominal, of: dates)
    else { return false }
    return firing != nominal.civilSeconds || isSilent(nominal)
  }
}
