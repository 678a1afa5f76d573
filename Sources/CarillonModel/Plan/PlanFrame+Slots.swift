extension PlanFrame {
  /// Adds what planning needs to know of a slot: one plan, or for a relative slot one for each
  /// repeat; nothing for a slot without times, or of which rule or zone is not known.
  ///
  /// - Parameter index: The slot's place in the habit; by it, so that no slot is copied.
  func append(slot index: Int, of facts: HabitFacts, to plans: inout [SlotPlan]) {
    eachTimetable(
      of: facts.habit.slots[index].rule, at: facts.habit.slots[index].times,
      in: facts.habit.slots[index].zone
    ) { plans.append(SlotPlan(index, of: facts, $0, frame: self)) }
  }

  /// Gives when a slot rings: one timetable, or for a relative slot one for each repeat; none for a
  /// slot without times, or of which rule or zone is not known.
  func eachTimetable(of slot: Slot, _ take: (consuming Timetable) -> Void) {
    eachTimetable(of: slot.rule, at: slot.times, in: slot.zone, take)
  }

  private func eachTimetable(
    of rule: Rule, at times: [TimeOfDay], in zone: SlotZone, _ take: (consuming Timetable) -> Void
  ) {
    switch rule {
    case .relative(let relative):
      eachTimetable(of: relative, at: times, in: zone.orZone(of: relative.base), take)
    case .interval(let interval):
      guard let span = zones.span(of: zone) else { return }
      take(Timetable(pattern: .interval(interval), span: span, dayStart: dayStart))
    case .once, .weekly, .everyDays, .recurrence, .place, .unknown:
      guard let nominals = Nominals(rule, at: times),
        let span = zones.span(of: zone.orZone(of: rule))
      else { return }
      take(Timetable(pattern: .nominals(nominals), span: span, dayStart: dayStart))
    }
  }

  private func eachTimetable(
    of relative: Relative, at times: [TimeOfDay], in zone: SlotZone,
    _ take: (consuming Timetable) -> Void
  ) {
    guard let nominals = Nominals(relative.base, at: times) else { return }
    let edge = relative.edge == .end ? relative.durationMinutes * 60 : 0
    for number in 0...max(0, relative.repeatCount) {
      let shift = edge + relative.offsetSeconds + number * relative.repeatSeconds
      guard let span = zones.span(of: zone, shiftSeconds: shift) else { continue }
      take(
        Timetable(
          pattern: .nominals(nominals), span: span, dayStart: dayStart, isRelative: true,
          shiftSeconds: shift, number: number))
    }
  }
}

extension Slot {
  /// Whose civil time it keeps: its own, or where that follows the device a recurrence's.
  package var civilZone: SlotZone {
    if case .relative(let relative) = rule { return zone.orZone(of: relative.base) }
    return zone.orZone(of: rule)
  }
}

extension SlotZone {
  /// This zone where it is fixed, else that of a recurrence where it has one.
  fileprivate func orZone(of rule: Rule) -> SlotZone {
    guard case .floating = self, case .recurrence(let recurrence) = rule,
      let name = recurrence.zone
    else { return self }
    return .fixed(name)
  }
}
