/// What planning needs to know of one slot: its timetable, its silence, what the system repeats.
///
/// Of a relative slot there is one for each repeat.
///
/// A class, since merging asks for one again and again, and need not retain its parts for that.
final class SlotPlan {
  /// The index of the slot in its habit.
  let index: Int
  let timetable: Timetable
  let silence: Silence
  let frame: PlanFrame
  /// The occurrences that a snooze moves.
  private(set) var snoozed: [Occurrence] = []
  /// What the system repeats by itself.
  private(set) var repetition = Repeats()

  /// What the system repeats of a slot.
  struct Repeats {
    /// The times that are repeating requests; of an interval none.
    var times: [TimeOfDay] = []
    /// Whether nothing else is left of the slot.
    var isWhole = false
    /// Each request's next occurrence, by their order.
    var next: [(trigger: RequestTrigger.Shape, ring: Ring)] = []
    /// When a time may become a repeating request that is none now.
    var after: Instant?
  }

  var habit: Habit { silence.facts.habit }
  var slot: Slot { silence.facts.habit.slots[index] }

  init(_ index: Int, _ timetable: Timetable, silence: Silence, frame: PlanFrame) {
    self.index = index
    self.timetable = timetable
    self.silence = silence
    self.frame = frame
  }

  /// Takes the occurrences that are snoozed, then finds what may be repeated.
  func complete(snoozed: [Occurrence]) {
    self.snoozed = snoozed
    repetition = RepeatSearch(self).repeats()
  }

  /// Whether a snooze moves an occurrence.
  func isSnoozed(_ occurrence: Occurrence) -> Bool {
    !snoozed.isEmpty && snoozed.contains(occurrence)
  }

  /// What quiet hours do to an occurrence that is not snoozed.
  func quietEffect(_ occurrence: Occurrence) -> QuietEffect {
    frame.hours == nil
      ? .none : frame.quietEffect(at: occurrence.instant, slot.quietPolicy, isSnoozed: false)
  }

  /// The next occurrence that is a request of its own at its own instant: the first after now, or
  /// the one after another.
  func nextSingle(after last: Occurrence?) -> Occurrence? {
    if repetition.isWhole { return nil }
    let lastDue = silence.lastDue?.adding(days: 1)
    let first = Instant(milliseconds: frame.now.milliseconds + 1)
    var next = last.map(timetable.next) ?? timetable.first(from: first)
    while let occurrence = next, occurrence.instant < frame.end {
      // Around a gap what is due a day earlier may ring later.
      if let lastDue, occurrence.due > lastDue { return nil }
      if isSingle(occurrence) { return occurrence }
      next = following(occurrence)
    }
    return nil
  }

  private func isSingle(_ occurrence: Occurrence) -> Bool {
    if !repetition.times.isEmpty && repetition.times.contains(occurrence.identity.time) {
      return false
    }
    if silence.reason(occurrence) != nil || isSnoozed(occurrence) { return false }
    return [.none, .passive].contains(quietEffect(occurrence))
  }

  /// The occurrence after one that is silent; of an interval, where the whole date is, the first of
  /// the next.
  private func following(_ occurrence: Occurrence) -> Occurrence? {
    guard case .interval = timetable.pattern, silence.reason(due: occurrence.due, at: nil) != nil
    else { return timetable.next(after: occurrence) }
    let next = CivilDateTime(date: occurrence.due.adding(days: 1), time: frame.dayStart)
    guard let instant = timetable.span.instant(of: next), instant > occurrence.instant else {
      return timetable.next(after: occurrence)
    }
    return timetable.first(from: instant)
  }
}
