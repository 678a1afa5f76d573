internal import Foundation

/// What becomes of one occurrence, and why.
public struct Explanation: Hashable, Sendable {
  /// The slot it is of.
  public let slot: SlotID
  /// The civil date and time by which the occurrence is named.
  public let nominal: CivilDateTime
  /// The date that done, skip and pause are looked up by.
  public let due: CivilDate
  /// The first that applies.
  public let reason: Reason
  /// The request that stands for it where it is planned, else the one it would have.
  public let id: String
  /// When it fires, fired or would fire.
  public let fireAt: Instant
}

extension Planner {
  /// Why each occurrence of a habit that is due on a date is planned, or is not; by the instant at
  /// which it fires.
  ///
  /// Nothing is said of a habit that is not known, of slots without times, of those that stand in
  /// the plan's problems, and of times on a date that the zone leaves out.
  ///
  /// - Parameter plan: what this planner plans, where the caller has it already.
  public func explain(
    _ habit: HabitID, on date: CivilDate, in plan: Plan? = nil
  ) -> [Explanation] {
    guard let habit = state.habits[habit] else { return [] }
    let planned = Set((plan ?? self.plan()).requests.lazy.map(\.id))
    let facts = HabitFacts(
      habit, state: state, pauses: PauseIndex(state.pauses.values, in: date...date), now: now)
    return habit.slots.flatMap { slot -> [Explanation] in
      guard let calendar = slot.zone.calendar(onDevice: calendar) else { return [] }
      let silence = Silence(facts, slot: slot, lastActive: state.lastActive)
      return occurrences(of: slot, dueOn: date).compactMap { nominal in
        calendar.instant(of: nominal).map { fireAt in
          explain(
            slot, of: habit, nominal, due: date, fireAt: fireAt, planned: planned,
            silence: silence.reason(nominal, due: date))
        }
      }
    }.sorted { ($0.fireAt, $0.id) < ($1.fireAt, $1.id) }
  }

  private func occurrences(of slot: Slot, dueOn date: CivilDate) -> [CivilDateTime] {
    guard let dates = RuleDates(slot.rule) else { return [] }
    return [date, date.adding(days: 1)].filter(dates.contains)
      .flatMap { date in slot.times.map { CivilDateTime(date: date, time: $0) } }
      .filter { $0.dueDate(dayStart: settings.dayStart) == date }
  }

  private func explain(
    _ slot: Slot, of habit: Habit, _ nominal: CivilDateTime, due: CivilDate, fireAt: Instant,
    planned: Set<String>, silence: Reason?
  ) -> Explanation {
    let own = RequestID(habit: habit.id, slot: slot.id, nominal: nominal).description
    let repeating = RuleDates(slot.rule)?.repeatTrigger(of: nominal).map {
      RequestID(habit: habit.id, slot: slot.id, trigger: $0).description
    }
    let request = [own, repeating].compactMap(\.self).first(where: planned.contains)
    let reason: Reason =
      if let silence {
        silence
      } else if fireAt <= now {
        .past
      } else if request != nil {
        .planned
      } else if fireAt >= horizonEnd {
        .beyondHorizon
      } else {
        .overCapacity
      }
    return Explanation(
      slot: slot.id, nominal: nominal, due: due, reason: reason,
      id: reason == .planned ? request ?? own : own, fireAt: fireAt)
  }
}
