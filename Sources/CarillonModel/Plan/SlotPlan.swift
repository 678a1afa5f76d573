/// What planning needs to know of one slot: its dates ahead, its silence, its zone and which of its
/// times the system may repeat.
///
/// A class, since merging asks for one again and again, and need not retain its parts for that.
final class SlotPlan {
  /// The index of the slot in its habit.
  private let index: Int
  private let coming: ComingDates
  /// The times that are repeating requests.
  private let repeatingTimes: [TimeOfDay]
  /// The civil seconds after which a time may become a repeating request that is none now.
  let repeatsAfter: Int?
  /// The dates between which occurrences are looked for.
  let firstDate: CivilDate
  private let lastDate: CivilDate

  var habit: Habit { coming.silence.facts.habit }
  var slot: Slot { habit.slots[index] }
  var span: ZoneSpan { coming.span }

  init(_ index: Int, coming: ComingDates) {
    self.index = index
    self.coming = coming
    (repeatingTimes, repeatsAfter) = coming.repeats()
    // A due date is its nominal date or the day before, so that no dates outside these can ring.
    let (facts, span) = (coming.silence.facts, coming.span)
    firstDate = max(span.firstDate, facts.habit.start ?? span.firstDate)
    let lastDue = min(
      facts.habit.end ?? span.lastDate, coming.silence.lastActiveDue ?? span.lastDate)
    let lastSingle = min(span.lastDate, lastDue.adding(days: 1))
    lastDate =
      if repeatingTimes.isEmpty {
        lastSingle
      } else if repeatingTimes.count == coming.times.count {
        coming.lastRepeatDate
      } else {
        max(lastSingle, coming.lastRepeatDate)
      }
  }

  /// The first date of the rule at or after one, with those after it whose times may fire in
  /// another order than they stand; nil where no more are looked at.
  func dates(onOrAfter date: CivilDate) -> ClosedRange<CivilDate>? {
    guard let first = coming.dates.first(onOrAfter: date), first <= lastDate else { return nil }
    return first...(span.window.mixedDates(around: first)?.upperBound ?? first)
  }

  /// The first wanted occurrence of some dates, or the first after another one of theirs.
  func firstCandidate(
    on dates: ClosedRange<CivilDate>, after last: SlotCursor.Candidate?
  ) -> SlotCursor.Candidate? {
    var first: SlotCursor.Candidate?
    for date in dates where coming.dates.contains(date) {
      for time in coming.times {
        let nominal = CivilDateTime(date: date, time: time)
        guard let firing = span.futureFiring(of: nominal) else { continue }
        let candidate = SlotCursor.Candidate(nominal: nominal, firing: firing)
        if let last, candidate <= last { continue }
        if let first, candidate >= first { continue }
        if wants(candidate) { first = candidate }
      }
    }
    return first
  }

  /// The repeating request that an occurrence stands for, or nil for a request of its own.
  func repeatTrigger(of nominal: CivilDateTime) -> RepeatTrigger? {
    guard repeatingTimes.contains(nominal.time) else { return nil }
    return coming.dates.repeatTrigger(of: nominal)
  }

  /// The id of the request for an occurrence.
  func id(of nominal: CivilDateTime, repeating trigger: RepeatTrigger?) -> RequestID {
    let habit = coming.silence.facts.habit
    let slot = habit.slots[index].id
    return if let trigger {
      RequestID(habit: habit.id, slot: slot, trigger: trigger)
    } else {
      RequestID(habit: habit.id, slot: slot, nominal: nominal)
    }
  }

  private func wants(_ candidate: SlotCursor.Candidate) -> Bool {
    if repeatingTimes.contains(candidate.nominal.time) {
      span.isNext(candidate.nominal, of: coming.dates)
    } else {
      candidate.firing < span.end && !coming.isSilent(candidate.nominal)
    }
  }
}
