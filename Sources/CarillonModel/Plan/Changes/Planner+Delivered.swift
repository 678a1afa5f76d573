extension Planner {
  /// Returns the IDs of answered notifications that this device still displays, according to its
  /// receipts.
  ///
  /// An occurrence counts as answered in any of these cases:
  /// - Its habit is done on its due date, whether or not the schedule has a condition.
  /// - Its due date is skipped or outside the habit's dates.
  /// - Its habit is archived or deleted.
  /// - It was answered on any device.
  /// - Its schedule was removed or no longer has the occurrence.
  ///
  /// A pause does not affect notifications that were delivered before it.
  ///
  /// - Returns: The IDs, ascending. If a repeating request may have delivered an occurrence, its ID
  ///   is included unless it has since fired for an unanswered occurrence. For a snoozed occurrence
  ///   only the ID of the repeating request is included, because the occurrence is delivered again
  ///   under its own ID when the snooze ends. If the store has a digest rule, the IDs of digests
  ///   whose members are all answered are included.
  /// - Complexity: O(receipts of the state).
  package func deliveredRemovals() -> [String] {
    let noPauses = PauseIndex([], in: Self.range(now: now, settings: settings))
    var ids: Set<String> = []
    var digests: [RequestID: ShownDigest] = [:]
    for (id, receipts) in state.receipts {
      guard let habit = state.habits[id] else { continue }
      let facts = HabitFacts(
        habit, state: state, pauses: noPauses, device: device, now: now)
      let occurrences = Dictionary(grouping: receipts) { key(of: $0, habit: id) }
      let snoozed = snoozed(habit)
      for (occurrence, receipts) in occurrences where isShownHere(receipts) {
        let isAnswered = isAnswered(occurrence, facts, occurrences)
        if let digest = digest(of: receipts, in: habit.group) {
          digests[digest, default: ShownDigest()].add(isAnswered: isAnswered)
        }
        if isAnswered {
          ids.insert(
            RequestID(
              habit: id, schedule: occurrence.schedule, nominal: occurrence.nominal,
              number: occurrence.number
            ).description)
        }
        guard isAnswered || snoozed.contains(occurrence) else { continue }
        let schedule = habit.schedules.first { $0.id == occurrence.schedule }
        for trigger in Self.triggers(of: occurrence.nominal, in: schedule) {
          let last = latest(occurrence, of: trigger, in: schedule)
          guard snoozed.contains(last) || self.isAnswered(last, facts, occurrences) else {
            continue
          }
          ids.insert(
            RequestID(habit: id, schedule: occurrence.schedule, trigger: trigger).description)
        }
      }
    }
    ids.formUnion(digests.lazy.filter(\.value.isAnswered).map(\.key.description))
    return ids.sorted()
  }

  /// The occurrences displayed on this device that fired together with others of their group.
  private struct ShownDigest {
    private var count = 0
    private var areAnswered = true

    /// Whether there are several occurrences and all of them are answered.
    var isAnswered: Bool { count > 1 && areAnswered }

    mutating func add(isAnswered: Bool) {
      count += 1
      areAnswered = areAnswered && isAnswered
    }
  }

  /// Returns the ID of the digest with which this device would have delivered an occurrence.
  ///
  /// The receipts of all members of a digest carry the instant at which the digest fires.
  private func digest(of receipts: [OccurrenceReceipt], in group: String?) -> RequestID? {
    guard settings.store.digest != nil else { return nil }
    let fires = receipts.lazy.filter { $0.replica == device && $0.state == .submitted }
      .compactMap(\.fireAt)
    return fires.filter { $0 <= now }.max().map { RequestID(group: group ?? "", fireAt: $0) }
  }

  /// An occurrence of a habit that was delivered.
  private struct Shown: Hashable {
    let schedule: ScheduleID
    let nominal: CivilDateTime
    var number = 0
  }

  /// Returns the occurrences of a habit that will be delivered again because a snooze in force
  /// moves them.
  private func snoozed(_ habit: Habit) -> Set<Shown> {
    guard !(state.snoozes[habit.id] ?? []).isEmpty else { return [] }
    let plan = habitPlan(habit, frame(from: now, to: horizonEnd))
    return Set(
      plan.snoozes.lazy.map {
        Shown(
          schedule: $0.schedule.suppression.schedule, nominal: $0.occurrence.identity,
          number: $0.occurrence.number)
      })
  }

  /// Returns the occurrence of a receipt.
  ///
  /// The number of a repeat comes from the receipt's revision, or from the snooze with that
  /// revision.
  private func key(of receipt: OccurrenceReceipt, habit: HabitID) -> Shown {
    let (schedule, nominal) = (receipt.schedule, receipt.nominal)
    if let number = receipt.revision.repeatNumber {
      return Shown(schedule: schedule, nominal: nominal, number: number)
    }
    let snooze = state.snoozes[habit]?.first {
      $0.schedule == schedule && $0.nominal == nominal
        && $0.until.map { String($0.milliseconds) } == receipt.revision
    }
    return Shown(schedule: schedule, nominal: nominal, number: snooze?.number ?? 0)
  }

  /// Whether this device displays an occurrence, according to its latest receipt state.
  private func isShownHere(_ receipts: [OccurrenceReceipt]) -> Bool {
    let last = receipts.filter { $0.replica == device }.max { $0.state < $1.state }
    guard let last else { return false }
    let reached = Receipt.State(
      last.state, fireAt: last.fireAt, now: now, on: state.devices[device])
    return reached == .delivered || reached == .presumed
  }

  private func isAnswered(
    _ occurrence: Shown, _ facts: HabitFacts, _ receipts: [Shown: [OccurrenceReceipt]]
  ) -> Bool {
    guard let index = facts.habit.schedules.firstIndex(where: { $0.id == occurrence.schedule }),
      facts.habit.schedules[index].occurs(at: occurrence.nominal)
    else { return true }
    let own = receipts[occurrence] ?? []
    if own.contains(where: { $0.state >= .dismissed }) { return true }
    let due = dueDate(of: occurrence.nominal, in: facts.habit.schedules[index])
    if state.isDone(facts.habit, on: due) { return true }
    let suppression = Suppression(facts, schedule: index, lastActive: nil)
    return suppression.reason(due: due, at: nil) != nil
  }

  private func dueDate(of nominal: CivilDateTime, in schedule: Schedule) -> CivilDate {
    guard case .interval = schedule.rule else {
      return nominal.dueDate(dayStart: settings.dayStart)
    }
    return (schedule.civilZone.calendar(onDevice: calendar) ?? calendar)
      .logicalDate(at: Instant(seconds: nominal.civilSeconds), dayStart: settings.dayStart)
  }

  /// Returns the triggers of the repeating requests that may have delivered an occurrence.
  ///
  /// If the schedule no longer has the occurrence, its former rule is unknown, so the daily and the
  /// weekly request at its time are returned.
  private static func triggers(of nominal: CivilDateTime, in schedule: Schedule?) -> [RequestTrigger
    .Shape]
  {
    guard let schedule, schedule.occurs(at: nominal) else {
      return [.daily(nominal.time), .weekly(nominal.date.weekday, nominal.time)]
    }
    guard !schedule.hasCondition, schedule.inactivityDays == 0 else { return [] }
    switch schedule.rule {
    case .interval(let interval): return [.every(seconds: interval.seconds)]
    case .place(let place): return [.place(place)]
    case .relative, .unknown: return []
    case .once, .weekly, .everyDays, .recurrence:
      return Nominals(schedule.rule, at: schedule.times)?.shape.map {
        [$0.shape.trigger(of: nominal)]
      }
        ?? []
    }
  }

  /// Returns the latest occurrence up to now for which a repeating request fired, which is the one
  /// that the device displays.
  private func latest(_ occurrence: Shown, of trigger: RequestTrigger.Shape, in schedule: Schedule?)
    -> Shown
  {
    guard trigger.isCivil else { return occurrence }
    let moment = (schedule?.civilZone.calendar(onDevice: calendar) ?? calendar).dateTime(at: now)
    let nominal = occurrence.nominal
    let passed = nominal.time > moment.time ? moment.date.adding(days: -1) : moment.date
    let date = max(nominal.date, trigger.lastDate(by: passed))
    return Shown(
      schedule: occurrence.schedule, nominal: CivilDateTime(date: date, time: nominal.time))
  }
}
