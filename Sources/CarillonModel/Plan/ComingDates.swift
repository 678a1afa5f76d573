/// The dates of a slot that are ahead, and which of its times the system may repeat by itself.
struct ComingDates {
  let slot: Slot
  let silence: Silence
  let span: ZoneSpan
  let dayStart: TimeOfDay
  /// The first date of which an occurrence may fire after now.
  let firstDate: CivilDate
  /// The last date of which one may fire before the horizon's end.
  let lastDate: CivilDate

  init(slot: Slot, silence: Silence, span: ZoneSpan, dayStart: TimeOfDay) {
    self.slot = slot
    self.silence = silence
    self.span = span
    self.dayStart = dayStart
    let today = CivilDateTime(civilSeconds: span.first).date
    firstDate = span.window.mixedDates(around: today)?.lowerBound ?? today
    lastDate = CivilDateTime(civilSeconds: span.end).date
  }

  /// The last date on which the next occurrence of a repeating request may be.
  var lastRepeatDate: CivilDate {
    let period = slot.rule.repeatPeriodDays ?? 0
    let today = CivilDateTime(civilSeconds: span.first).date
    return today.adding(days: span.window.leavesOutDates ? 2 * period : period)
  }

  /// The times that may be repeating requests, and the civil seconds after which another may.
  ///
  /// No condition, no cut-off, no end, a shape that the system knows, a start not ahead; and every
  /// occurrence in the horizon, and the next one of each request even beyond it, rings at its
  /// nominal instant. Dates are looked at only where facts or offset changes may silence or
  /// shift some.
  func repeats() -> (times: Set<TimeOfDay>, after: Int?) {
    guard mayRepeat else { return ([], nil) }
    let dates = datesThatMayDiffer
    if dates.isEmpty { return (Set(slot.times), nil) }
    var times: Set<TimeOfDay> = []
    var after: Int?
    for time in slot.times {
      let different = dates.lazy.map { CivilDateTime(date: $0, time: time) }.last(where: differs)
      if let different {
        let firing = span.window.firing(different.civilSeconds)
        after = min(after ?? firing, firing)
      } else {
        times.insert(time)
      }
    }
    return (times, after)
  }

  private var mayRepeat: Bool {
    slot.rule.repeatPeriodDays != nil && slot.unless.isEmpty && slot.inactivityDays == 0
      && silence.habit.end == nil && silence.habit.start ?? span.today <= span.today
      && slot.rule.firstDate ?? span.date <= span.date
  }

  private var datesThatMayDiffer: [CivilDate] {
    if silence.hasFacts {
      let last = max(firstDate, lastDate, lastRepeatDate)
      return (firstDate...last).filter(slot.rule.contains)
    }
    return span.window.gaps.flatMap { gap in
      let first = CivilDateTime(civilSeconds: gap.lowerBound).date
      let last = CivilDateTime(civilSeconds: gap.upperBound - 1).date
      return (first...last).filter(slot.rule.contains)
    }
  }

  /// Whether an occurrence that must ring at its nominal instant, if the system is to repeat it,
  /// does not.
  private func differs(_ nominal: CivilDateTime) -> Bool {
    guard let firing = span.futureFiring(of: nominal),
      firing < span.end || span.isNext(nominal, of: slot.rule)
    else { return false }
    return firing != nominal.civilSeconds
      || silence.reason(due: nominal.dueDate(dayStart: dayStart)) != nil
  }
}
