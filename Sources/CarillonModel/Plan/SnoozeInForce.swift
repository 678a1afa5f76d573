/// A snooze that moves an occurrence: the slot still has it, and no other comes before.
struct SnoozeInForce {
  let slot: SlotPlan
  let occurrence: Occurrence
  let until: Instant
  let ignoresQuietHours: Bool

  /// Nil where the snooze was taken back, the slot no longer has that occurrence, or the next one
  /// comes first.
  init?(_ snooze: Snooze, of slots: [SlotPlan]) {
    let own = slots.filter { $0.silence.slot == snooze.slot }
    guard let until = snooze.until,
      let slot = own.first(where: { $0.timetable.number == snooze.number }),
      let occurrence = slot.timetable.occurrence(named: snooze.nominal),
      slot.next(after: occurrence, among: own).map({ until < $0.instant }) ?? true
    else { return nil }
    self.slot = slot
    self.occurrence = occurrence
    self.until = until
    ignoresQuietHours = snooze.ignoresQuietHours
  }

  /// It as it rings, but for quiet hours.
  var ring: Ring {
    Ring(
      slot: slot, occurrence: occurrence, revision: String(until.milliseconds), fireAt: until,
      isSnoozed: true)
  }

  /// Why it does not ring, whatever the quiet hours.
  var reason: Reason? {
    slot.silence.reason(occurrence, at: until, revision: String(until.milliseconds))
  }

  /// What quiet hours do to it.
  func quietEffect(_ frame: PlanFrame) -> QuietEffect {
    ignoresQuietHours
      ? .none : frame.quietEffect(at: until, slot.quietPolicy, isSnoozed: true)
  }
}

extension SlotPlan {
  /// The next occurrence of the whole slot after one of these.
  func next(after occurrence: Occurrence, among slots: [SlotPlan]) -> Occurrence? {
    var next = timetable.next(after: occurrence)
    for other in slots where other !== self {
      var found = other.timetable.first(from: occurrence.instant)
      while let one = found, !occurrence.precedes(one) { found = other.timetable.next(after: one) }
      if let found, next.map({ found.precedes($0) }) ?? true { next = found }
    }
    return next
  }
}
