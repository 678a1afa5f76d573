/// What planning needs to know of one slot: its dates, its silence, its zone and which of its times
/// the system may repeat.
///
/// A class, since cursors and the heap's entries share it.
final class SlotPlan {
  let rule: Rule
  let times: [TimeOfDay]
  let silence: Silence
  let span: ZoneSpan
  /// The index of the slot in its habit.
  private let index: Int
  let dayStart: TimeOfDay
  /// The times that are repeating requests.
  let repeatingTimes: [TimeOfDay]
  /// The civil seconds after which a time may become a repeating request that is none now.
  let repeatsAfter: Int?
  /// The dates between which occurrences are looked for.
  let firstDate: CivilDate
  let lastDate: CivilDate

  var habit: Habit { silence.facts.habit }
  var slot: Slot { silence.facts.habit.slots[index] }
  var window: ZoneWindow { span.window }

  init(_ index: Int, silence: Silence, span: ZoneSpan, dayStart: TimeOfDay) {
    self.index = index
    let slot = silence.facts.habit.slots[index]
    rule = slot.rule
    times = slot.times
    self.silence = silence
    self.span = span
    self.dayStart = dayStart
    let coming = ComingDates(
      rule: rule, times: times,
      isUnconditional: slot.unless.isEmpty && slot.inactivityDays == 0, silence: silence,
      span: span, dayStart: dayStart)
    (repeatingTimes, repeatsAfter) = coming.repeats()
    // A due date is its nominal date or the day before, so that no dates outside these can ring.
    firstDate = max(coming.firstDate, silence.facts.habit.start ?? coming.firstDate)
    let lastDue = min(
      silence.facts.habit.end ?? coming.lastDate, silence.lastActiveDue ?? coming.lastDate)
    let lastSingle = min(coming.lastDate, lastDue.adding(days: 1))
    lastDate =
      if repeatingTimes.isEmpty {
        lastSingle
      } else if repeatingTimes.count == times.count {
        coming.lastRepeatDate
      } else {
        max(lastSingle, coming.lastRepeatDate)
      }
  }

  /// Adds the wanted occurrences of a date of the rule.
  func appendCandidates(on date: CivilDate, to found: inout [SlotCursor.Candidate]) {
    for time in times {
      let nominal = CivilDateTime(date: date, time: time)
      guard let firing = span.futureFiring(of: nominal) else { continue }
      if repeatingTimes.contains(time) {
        guard span.isNext(nominal, of: rule) else { continue }
        found.append(
          .init(nominal: nominal, firing: firing, repeating: rule.repeatTrigger(of: nominal)))
      } else if firing < span.end,
        silence.reason(due: nominal.dueDate(dayStart: dayStart)) == nil
      {
        found.append(.init(nominal: nominal, firing: firing, repeating: nil))
      }
    }
  }

  /// The id of the request for an occurrence.
  func id(of candidate: SlotCursor.Candidate) -> RequestID {
    if let trigger = candidate.repeating {
      RequestID(habit: habit.id, slot: slot.id, trigger: trigger)
    } else {
      RequestID(habit: habit.id, slot: slot.id, nominal: candidate.nominal)
    }
  }
}
