extension Planner {
  /// The ids of notifications that this device shows, as far as its receipts tell, though they are
  /// settled: the occurrence is done or skipped, its habit gone, or the person answered elsewhere.
  ///
  /// - Returns: Ascending ids; of a slot that the system may repeat, also the repeating request's.
  /// - Complexity: O(receipts of the state).
  public func deliveredRemovals() -> [String] {
    let pauses = PauseIndex([], in: Self.span(now: now, settings: settings))
    return state.receipts.flatMap { id, receipts -> [String] in
      guard let habit = state.habits[id] else { return [] }
      let facts = HabitFacts(habit, state: state, pauses: pauses, now: now)
      let occurrences = Dictionary(grouping: receipts) { Occurrence(slot: $0.slot, $0.nominal) }
      return occurrences.flatMap { occurrence, receipts -> [String] in
        guard isShownHere(receipts),
          let slot = habit.slots.first(where: { $0.id == occurrence.slot })
        else { return [] }
        let silence = Silence(facts, slot: slot, lastActive: nil)
        let due = occurrence.nominal.dueDate(dayStart: settings.dayStart)
        let isAnswered = receipts.contains { $0.state >= .dismissed }
        let isSettled = silence.reason(occurrence.nominal, due: due).map { $0 != .shown } ?? false
        return isAnswered || isSettled
          ? ids(of: occurrence.nominal, slot, habit, isUnconditional: silence.isUnconditional) : []
      }
    }.sorted()
  }

  private struct Occurrence: Hashable {
    let slot: SlotID
    let nominal: CivilDateTime

    init(slot: SlotID, _ nominal: CivilDateTime) {
      self.slot = slot
      self.nominal = nominal
    }
  }

  /// Whether the last that this device said is that it shows an occurrence.
  private func isShownHere(_ receipts: [OccurrenceReceipt]) -> Bool {
    receipts.lazy.filter { $0.replica == device }.map(\.state).max() == .delivered
  }

  private func ids(
    of nominal: CivilDateTime, _ slot: Slot, _ habit: Habit, isUnconditional: Bool
  ) -> [String] {
    let own = RequestID(habit: habit.id, slot: slot.id, nominal: nominal).description
    guard isUnconditional, let trigger = RuleDates(slot.rule)?.repeatTrigger(of: nominal) else {
      return [own]
    }
    return [own, RequestID(habit: habit.id, slot: slot.id, trigger: trigger).description]
  }
}
