extension Planner {
  /// The ids of notifications that this device shows, as far as its receipts tell, though they are
  /// settled.
  ///
  /// Settled is an occurrence whose habit is done on its due date, whether or not the slot has a
  /// condition; skipped, or outside the habit's dates; of a habit that is archived or deleted;
  /// answered on any device; or of a slot that was removed or no longer has it. What was shown
  /// before a pause stays.
  ///
  /// - Returns: Ascending ids; where the system may have shown it by a repeating request, also that
  ///   one's, unless it rang since for an occurrence that is not settled.
  /// - Complexity: O(receipts of the state).
  public func deliveredRemovals() -> [String] {
    let noPauses = PauseIndex([], in: Self.span(now: now, settings: settings))
    var ids: Set<String> = []
    for (id, receipts) in state.receipts {
      guard let habit = state.habits[id] else { continue }
      let facts = HabitFacts(habit, state: state, pauses: noPauses, now: now)
      let occurrences = Dictionary(grouping: receipts) { Occurrence(slot: $0.slot, $0.nominal) }
      func isSettled(_ occurrence: Occurrence) -> Bool {
        self.isSettled(occurrence, facts, occurrences[occurrence] ?? [])
      }
      for (occurrence, receipts) in occurrences
      where isShownHere(receipts) && isSettled(occurrence) {
        ids.insert(
          RequestID(habit: id, slot: occurrence.slot, nominal: occurrence.nominal).description)
        let slot = habit.slots.first { $0.id == occurrence.slot }
        for trigger in Self.triggers(of: occurrence.nominal, in: slot)
        where isSettled(latest(occurrence, of: trigger, in: slot)) {
          ids.insert(RequestID(habit: id, slot: occurrence.slot, trigger: trigger).description)
        }
      }
    }
    return ids.sorted()
  }

  private struct Occurrence: Hashable {
    let slot: SlotID
    let nominal: CivilDateTime

    init(slot: SlotID, _ nominal: CivilDateTime) {
      self.slot = slot
      self.nominal = nominal
    }
  }

  /// Whether the last that is known of this device is that it shows an occurrence.
  private func isShownHere(_ receipts: [OccurrenceReceipt]) -> Bool {
    let last = receipts.filter { $0.replica == device }.max { $0.state < $1.state }
    guard let last else { return false }
    let isGranted = state.devices[device]?.permission.isGranted ?? false
    let reached = Receipt.State(last.state, fireAt: last.fireAt, now: now, isGranted: isGranted)
    return reached == .delivered || reached == .presumed
  }

  private func isSettled(
    _ occurrence: Occurrence, _ facts: HabitFacts, _ receipts: [OccurrenceReceipt]
  ) -> Bool {
    guard let slot = facts.habit.slots.first(where: { $0.id == occurrence.slot }),
      slot.mayOccur(at: occurrence.nominal)
    else { return true }
    if receipts.contains(where: { $0.state >= .dismissed }) { return true }
    let due = occurrence.nominal.dueDate(dayStart: settings.dayStart)
    if state.isDone(facts.habit, on: due) { return true }
    let silence = Silence(facts, slot: slot, lastActive: nil)
    return silence.reason(occurrence.nominal, due: due).map { $0 != .shown } ?? false
  }

  /// The repeating requests that may have shown an occurrence: by the slot as it is, or any where
  /// the slot no longer has it, since nothing tells then what it was.
  private static func triggers(of nominal: CivilDateTime, in slot: Slot?) -> [RepeatTrigger] {
    guard let slot, slot.mayOccur(at: nominal) else {
      return [.daily(nominal.time), .weekly(nominal.date.weekday, nominal.time)]
    }
    guard slot.unless.isEmpty, slot.inactivityDays == 0 else { return [] }
    return RuleDates(slot.rule)?.repeatTrigger(of: nominal).map { [$0] } ?? []
  }

  /// The last occurrence by now for which a repeating request rang: the one that it shows.
  private func latest(
    _ occurrence: Occurrence, of trigger: RepeatTrigger, in slot: Slot?
  ) -> Occurrence {
    let moment = (slot?.zone.calendar(onDevice: calendar) ?? calendar).dateTime(at: now)
    let nominal = occurrence.nominal
    let passed = nominal.time > moment.time ? moment.date.adding(days: -1) : moment.date
    let date = max(nominal.date, trigger.lastDate(by: passed))
    return Occurrence(slot: occurrence.slot, CivilDateTime(date: date, time: nominal.time))
  }
}

extension Slot {
  /// Whether a civil date and time is one of its occurrences, as far as this build knows its rule.
  fileprivate func mayOccur(at nominal: CivilDateTime) -> Bool {
    RuleDates(rule) == nil || occurs(at: nominal)
  }
}
