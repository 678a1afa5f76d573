internal import Foundation

/// Plans what the system should have scheduled, and explains it.
///
/// A pure function of what it is given: it reads no clock, no zone and no randomness.
///
/// A moment outside the years 1696 to 4195 is taken as the nearest one inside.
public struct Planner: Sendable {
  let state: State
  let settings: PlanSettings
  let device: ReplicaID
  let now: Instant
  let calendar: CivilCalendar
  /// The first instant after the horizon's last civil day in the device's zone.
  let horizonEnd: Instant

  /// Makes a planner for one device.
  public init(state: State, settings: PlanSettings, device: ReplicaID, now: Instant) {
    self.state = state
    self.settings = settings
    self.device = device
    self.now = now.clamped(to: CivilCalendar.instants)
    calendar = CivilCalendar(zone: settings.zone)
    let today = calendar.dateTime(at: self.now).date
    horizonEnd = calendar.firstInstant(of: today.adding(days: settings.horizonDays))
  }

  /// The dates whose entries and marks a plan depends on, and an explanation of one more date.
  ///
  /// A state that leaves out the days outside them gives the same plan.
  public static func span(
    now: Instant, settings: PlanSettings, including date: CivilDate? = nil
  ) -> ClosedRange<CivilDate> {
    let day = now.clamped(to: CivilCalendar.instants).seconds.flooredQuotient(by: 86_400)
    let today = CivilDate(rawValue: Int32(clamping: day))
    let first = today.adding(days: -4)
    let last = today.adding(days: settings.horizonDays + ZoneSpan.daysAhead)
    return min(first, date ?? first)...max(last, date ?? last)
  }

  /// Plans the soonest requests that fit the capacity.
  ///
  /// - Complexity: O((slots + capacity) log slots); at most capacity + 2 x slots civil date-times
  ///   become instants.
  public func plan() -> Plan {
    var zones = ZoneWindows(
      calendar: calendar, from: now, to: horizonEnd, dayStart: settings.dayStart)
    let (slots, problems) = slotPlans(in: &zones)
    var merge = OccurrenceMerge(slots, from: now, to: horizonEnd)
    let taken = merge.take(settings.capacity)
    let coverageUntil = min(merge.nextFire ?? horizonEnd, horizonEnd)
    let changes = [
      taken.first?.fireAt, merge.nextFire, zones.nextDay, nextRepeat(of: slots), nextPresumed,
    ]
    return Plan(
      asOf: now, zone: settings.zone.identifier, capacity: settings.capacity,
      requests: taken.map { Request($0, of: slots[$0.slot]) }, coverageUntil: coverageUntil,
      dropped: merge.countRest(upTo: 1_000), blocked: blocked,
      computedCount: merge.computedCount,
      validUntil: changes.compactMap(\.self).min() ?? horizonEnd,
      nextWakeHint: nextWakeHint(coverageUntil, zones.own.window), problems: problems)
  }

  // MARK: - Parts of a plan

  /// Why nothing may be given to the system; a device that nothing is known of was never asked.
  private var blocked: Blocked? {
    (state.devices[device] ?? Device(replica: device)).blocked
  }

  /// What is needed of every slot that may ring, and the slots that cannot be planned.
  private func slotPlans(in zones: inout ZoneWindows) -> ([SlotPlan], [PlanProblem]) {
    let pauses = PauseIndex(
      state.pauses.values, in: Self.span(now: now, settings: settings))
    let lastActive = state.lastActive
    var plans: [SlotPlan] = []
    plans.reserveCapacity(state.habits.count)
    var problems: [PlanProblem] = []
    for habit in state.habits.values where !habit.isDeleted && !habit.isArchived {
      let facts = HabitFacts(habit, state: state, pauses: pauses, now: now)
      let slots = facts.habit.slots
      // By index, so that no slot is copied.
      for index in slots.indices {
        guard let dates = RuleDates(slots[index].rule),
          let span = zones.span(of: slots[index].zone)
        else {
          if let problem = PlanProblem(habit: facts.habit.id, slot: slots[index]) {
            problems.append(problem)
          }
          continue
        }
        if slots[index].times.isEmpty { continue }
        let coming = ComingDates(
          dates: dates, times: slots[index].times,
          silence: Silence(facts, slot: slots[index], lastActive: lastActive), span: span,
          dayStart: settings.dayStart)
        plans.append(SlotPlan(index, coming: coming))
      }
    }
    return (plans, problems.sorted { ($0.habit, $0.slot) < ($1.habit, $1.slot) })
  }

  /// The first instant after which a time may become a repeating request that is none now.
  private func nextRepeat(of slots: [SlotPlan]) -> Instant? {
    var soonest: [Int: (span: ZoneSpan, firing: Int)] = [:]
    for slot in slots {
      guard let firing = slot.repeatsAfter else { continue }
      let known = soonest[slot.span.index]?.firing ?? firing
      soonest[slot.span.index] = (slot.span, min(firing, known))
    }
    return soonest.values.compactMap { span, firing in
      span.window.calendar.instant(of: CivilDateTime(civilSeconds: firing))
    }.min()
  }

  /// The first instant at which something that a device submitted is presumed to be shown.
  private var nextPresumed: Instant? {
    state.receipts.values.lazy.flatMap { $0 }.compactMap(\.fireAt).filter { $0 > now }.min()
  }

  /// When to look again though nothing happens: a day before the coverage ends, or when the next
  /// day begins.
  private func nextWakeHint(_ coverageUntil: Instant, _ window: ZoneWindow) -> Instant {
    let dayBefore = Instant(milliseconds: coverageUntil.milliseconds - 86_400_000)
    let nextDay = window.nextDateChange(after: now, dayStart: settings.dayStart)
    return max(now, min(dayBefore, nextDay))
  }
}
