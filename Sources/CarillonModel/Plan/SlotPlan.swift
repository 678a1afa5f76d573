/// What planning needs to know of one slot: its dates, its silence, its zone and which of its times
/// the system may repeat.
///
/// A class, since cursors and the heap's entries share it.
final class SlotPlan {
  let slot: Slot
  let silence: Silence
  let span: ZoneSpan
  let dayStart: TimeOfDay
  /// The times that are repeating requests.
  let repeatingTimes: Set<TimeOfDay>
  /// The civil seconds after which a time may become a repeating request that is none now.
  let repeatsAfter: Int?
  /// The dates between which occurrences are looked for.
  let firstDate: CivilDate
  let lastDate: CivilDate

  var habit: Habit { silence.habit }
  var rule: Rule { slot.rule }
  var window: ZoneWindow { span.window }

  init(slot: Slot, silence: Silence, span: ZoneSpan, dayStart: TimeOfDay) {
    self.slot = slot
    self.silence = silence
    self.span = span
    self.dayStart = dayStart
    let coming = ComingDates(slot: slot, silence: silence, span: span, dayStart: dayStart)
    (repeatingTimes, repeatsAfter) = coming.repeats()
    // A due date is its nominal date or the day before, so that no dates outside these can ring.
    firstDate = max(coming.firstDate, silence.habit.start ?? coming.firstDate)
    let lastDue = [silence.habit.end, silence.lastActiveDue].compactMap(\.self).min()
    let lastSingle = min(coming.lastDate, lastDue?.adding(days: 1) ?? coming.lastDate)
    lastDate =
      if repeatingTimes.isEmpty {
        lastSingle
      } else if repeatingTimes.count == slot.times.count {
        coming.lastRepeatDate
      } else {
        max(lastSingle, coming.lastRepeatDate)
      }
  }

  /// Adds the wanted occurrences of a date of the rule.
  func appendCandidates(on date: CivilDate, to found: inout [SlotCursor.Candidate]) {
    for time in slot.times {
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
