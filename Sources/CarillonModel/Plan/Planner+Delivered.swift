extension Planner {
  /// The ids of notifications that this device shows, as far as its receipts tell, though they are
  /// answered.
  ///
  /// An occurrence is answered whose habit is done on its due date, whether or not the schedule has
  /// a condition; skipped, or outside the habit's dates; of a habit that is archived or deleted;
  /// answered on any device; or of a schedule that was removed or no longer has it. What was shown
  /// before a pause stays.
  ///
  /// - Returns: Ascending ids; where the system may have shown it by a repeating request, also that
  ///   one's, unless it fired since for an occurrence that is not answered. Of a snoozed occurrence
  ///   only that one's: when the snooze ends it is shown under its own id. Where the store has a
  ///   digest rule, also those of the digests of which each member is answered.
  /// - Complexity: O(receipts of the state).
  public func deliveredRemovals() -> [String] {
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

  /// What is shown here and fell due with others of its group.
  private struct ShownDigest {
    private var count = 0
    private var areAnswered = true

    /// Whether it is of several, all of them answered.
    var isAnswered: Bool { count > 1 && areAnswered }

    mutating func add(isAnswered: Bool) {
      count += 1
      areAnswered = areAnswered && isAnswered
    }
  }

  /// The digest by which this device would have shown an occurrence: all of one have the moment at
  /// which it fires.
  private func digest(of receipts: [OccurrenceReceipt], in group: String?) -> RequestID? {
    guard settings.store.digest != nil else { return nil }
    let fires = receipts.lazy.filter { $0.replica == device && $0.state == .submitted }
      .compactMap(\.fireAt)
    return fires.filter { $0 <= now }.max().map { RequestID(group: group ?? "", fireAt: $0) }
  }

  /// An occurrence of a habit that was shown.
  private struct Shown: Hashable {
    let schedule: ScheduleID
    let nominal: CivilDateTime
    var number = 0
  }

  /// The occurrences of a habit that come again, since snoozes in force move them.
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

  /// What a receipt is of: the number of a repeat stands in its revision, or in the snooze's.
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

  /// Whether the last that is known of this device is that it shows an occurrence.
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

  /// The repeating requests that may have shown an occurrence: by the schedule as it is, or any
  /// where the schedule no longer has it, since nothing tells then what it was.
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

  /// The last occurrence by now for which a repeating request fired: the one that it shows.
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
