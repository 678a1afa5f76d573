extension PlanFrame {
  /// Adds what planning needs to know of a slot: one plan, or for a relative slot one for each
  /// repeat; nothing for a slot without times, or of which rule or zone is not known.
  ///
  /// - Parameter index: The slot's place in the habit; by it, so that no slot is copied.
  func append(slot index: Int, of facts: HabitFacts, to plans: inout [SlotPlan]) {
    let rule = facts.habit.slots[index].rule
    if case .relative(let relative) = rule {
      for timetable in timetables(of: relative, facts.habit.slots[index]) {
        add(timetable, index, facts, &plans)
      }
    } else if let timetable = timetable(
      rule, at: facts.habit.slots[index].times, in: facts.habit.slots[index].zone)
    {
      add(timetable, index, facts, &plans)
    }
  }

  private func add(
    _ timetable: Timetable, _ index: Int, _ facts: HabitFacts, _ plans: inout [SlotPlan]
  ) {
    let silence = Silence(facts, slot: index, lastActive: lastActive)
    plans.append(SlotPlan(index, timetable, silence: silence, frame: self))
  }

  /// When a slot rings: one timetable, or for a relative slot one for each repeat; none for a slot
  /// without times, or of which rule or zone is not known.
  func timetables(of slot: Slot) -> [Timetable] {
    if case .relative(let relative) = slot.rule { return timetables(of: relative, slot) }
    return timetable(slot.rule, at: slot.times, in: slot.zone).map { [$0] } ?? []
  }

  private func timetables(of relative: Relative, _ slot: Slot) -> [Timetable] {
    guard let nominals = Nominals(relative.base, at: slot.times) else { return [] }
    let edge = relative.edge == .end ? relative.durationMinutes * 60 : 0
    return (0...max(0, relative.repeatCount)).compactMap { number in
      let shift = edge + relative.offsetSeconds + number * relative.repeatSeconds
      return zones.span(of: slot.civilZone, shiftSeconds: shift).map {
        Timetable(
          pattern: .nominals(nominals), span: $0, dayStart: dayStart, isRelative: true,
          shiftSeconds: shift, number: number)
      }
    }
  }

  private func timetable(
    _ rule: Rule, at times: [TimeOfDay], in zone: SlotZone
  ) -> Timetable? {
    if case .interval(let interval) = rule {
      return zones.span(of: zone).map {
        Timetable(pattern: .interval(interval), span: $0, dayStart: dayStart)
      }
    }
    guard let nominals = Nominals(rule, at: times),
      let span = zones.span(of: zone.orZone(of: rule))
    else { return nil }
    return Timetable(pattern: .nominals(nominals), span: span, dayStart: dayStart)
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
