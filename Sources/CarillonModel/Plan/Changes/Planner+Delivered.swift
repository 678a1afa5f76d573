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
  /// - Parameter planned: The repeating requests that this device planned lately. They are needed
  ///   for the requests of former rules, which do not follow from the state.
  /// - Returns: The IDs, ascending. If a repeating request may have delivered an occurrence, its ID
  ///   is included unless it has since fired for an unanswered occurrence. For a snoozed occurrence
  ///   only the ID of the repeating request is included, because the occurrence is delivered again
  ///   under its own ID when the snooze ends. If the store has a digest rule, the IDs of digests
  ///   whose members are all answered are included.
  /// - Complexity: O(receipts of the state).
  package func deliveredRemovals(planned: [PlannedRequest] = []) -> [RequestID] {
    let noPauses = PauseIndex([])
    let planned = Dictionary(grouping: planned, by: \.occurrence.habit)
    var ids: Set<RequestID> = []
    var digests: [RequestID: DeliveredDigest] = [:]
    for (id, receipts) in state.receipts {
      guard let habit = state.habits[id] else { continue }
      let facts = HabitFacts(
        habit, state: state, pauses: noPauses, device: device, now: now)
      let occurrences = Dictionary(grouping: receipts, by: unsnoozed)
      let snoozed = snoozed(habit)
      let displayed = occurrences.filter { isDisplayedHere($0.value) }
      for (occurrence, receipts) in displayed {
        let isAnswered = isAnswered(occurrence, facts, occurrences)
        if let digest = digest(of: receipts, in: habit.group) {
          digests[digest, default: DeliveredDigest()].add(isAnswered: isAnswered)
        }
        if isAnswered { ids.insert(occurrence.requestID) }
        guard isAnswered || snoozed.contains(occurrence) else { continue }
        let schedule = habit.schedules.first { $0.id == occurrence.schedule }
        for trigger in Self.triggers(of: occurrence.nominal, in: schedule) {
          let last = latest(occurrence, of: trigger, in: schedule)
          guard snoozed.contains(last) || self.isAnswered(last, facts, occurrences) else {
            continue
          }
          ids.insert(RequestID(habit: id, schedule: occurrence.schedule, trigger: trigger))
        }
      }
      for request in planned[id] ?? [] {
        let own = displayed.keys.filter(request.mayDisplay)
        guard !own.isEmpty, request.isFormer(own, in: habit) else { continue }
        let isAnswered = isAnswered(request, own) {
          snoozed.contains($0) || self.isAnswered($0, facts, occurrences)
        }
        if isAnswered { ids.insert(request.id) }
      }
    }
    ids.formUnion(digests.lazy.filter(\.value.isAnswered).map(\.key))
    return ids.sorted()
  }

  /// The occurrences displayed on this device that fired together with others of their group.
  private struct DeliveredDigest {
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

  /// Returns the occurrences of a habit that will be delivered again because a snooze in force
  /// moves them.
  private func snoozed(_ habit: Habit) -> Set<OccurrenceID> {
    guard !(state.snoozes[habit.id] ?? []).isEmpty else { return [] }
    let plan = habitPlan(habit, frame(from: now, to: horizonEnd))
    return Set(
      plan.snoozes.lazy.map {
        $0.schedule.suppression.id(of: $0.occurrence, in: $0.occurrence.revision)
      })
  }

  /// Returns the occurrence of a receipt, in the revision that it has unless it is snoozed.
  ///
  /// The number of a snoozed repeat comes from the snooze.
  private func unsnoozed(_ receipt: OccurrenceReceipt) -> OccurrenceID {
    let occurrence = receipt.occurrence
    switch occurrence.revision {
    case .first, .repeat: return occurrence
    case .unknown: return occurrence.revised(.first)
    case .snoozed(let until):
      let snooze = state.snoozes[occurrence.habit]?.first {
        $0.schedule == occurrence.schedule && $0.nominal == occurrence.nominal && $0.until == until
      }
      let number = snooze?.number ?? 0
      return occurrence.revised(number > 0 ? .repeat(number) : .first)
    }
  }

  /// Whether this device displays an occurrence, according to its latest receipt state.
  private func isDisplayedHere(_ receipts: [OccurrenceReceipt]) -> Bool {
    let last = receipts.filter { $0.replica == device }.max { $0.state < $1.state }
    guard let last else { return false }
    let reached = Receipt.State(
      last.state, fireAt: last.fireAt, now: now, on: state.devices[device])
    return reached == .delivered || reached == .presumed
  }

  private func isAnswered(
    _ occurrence: OccurrenceID, _ facts: HabitFacts,
    _ receipts: [OccurrenceID: [OccurrenceReceipt]]
  ) -> Bool {
    guard let index = facts.habit.schedules.firstIndex(where: { $0.id == occurrence.schedule }),
      facts.habit.schedules[index].occurs(at: occurrence.nominal)
    else { return true }
    let own = receipts[occurrence] ?? []
    if own.contains(where: { $0.state >= .dismissed }) { return true }
    let due = dueDate(of: occurrence.nominal, in: facts.habit.schedules[index])
    if let start = facts.habit.schedules[index].firstAnswer(to: occurrence.nominal) {
      if facts.hasEntry(since: start) { return true }
    } else if state.isDone(facts.habit, on: due) {
      return true
    }
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
  /// If the schedule no longer has the occurrence, its former rule is unknown, so every request
  /// that fires at its civil time is returned.
  fileprivate static func triggers(
    of nominal: CivilDateTime, in schedule: Schedule?
  ) -> [RequestTrigger.Shape] {
    guard let schedule, schedule.occurs(at: nominal) else {
      return RequestTrigger.Shape.repeating(at: nominal)
    }
    if case .place(let place) = schedule.rule { return [.place(place)] }
    guard !schedule.hasCondition, schedule.inactivityDays == 0 else { return [] }
    switch schedule.rule {
    case .interval(let interval):
      return interval.anchor == nil ? [.every(seconds: interval.seconds)] : []
    case .place, .relative, .unknown: return []
    case .once, .weekly, .everyDays, .recurrence:
      let shape = Nominals(schedule.rule, at: schedule.times)?.shape
      return shape.map { [$0.shape.trigger(of: nominal)] } ?? []
    }
  }

  /// Whether what a request of a former rule displays is answered: the occurrence for which it was
  /// planned last, if that is past, otherwise the latest one before it that this device displays.
  ///
  /// - Parameter displayed: The occurrences that this device displays and that the request may have
  ///   delivered.
  private func isAnswered(
    _ request: PlannedRequest, _ displayed: [OccurrenceID], by isAnswered: (OccurrenceID) -> Bool
  ) -> Bool {
    // A place that the schedule no longer has displays nothing of the schedule.
    guard let fireAt = request.fireAt else { return true }
    guard fireAt > now else { return isAnswered(request.occurrence) }
    let last = displayed.filter { $0.nominal <= request.occurrence.nominal }
      .max { $0.nominal < $1.nominal }
    return last.map(isAnswered) ?? false
  }

  /// Returns the latest occurrence up to now for which a repeating request fired, which is the one
  /// that the device displays.
  private func latest(
    _ occurrence: OccurrenceID, of trigger: RequestTrigger.Shape, in schedule: Schedule?
  ) -> OccurrenceID {
    if case .every(let seconds) = trigger, case .interval(let interval)? = schedule?.rule {
      let from = interval.from.seconds
      let last = from + (now.seconds - from).flooredQuotient(by: seconds) * seconds
      return OccurrenceID(
        habit: occurrence.habit, schedule: occurrence.schedule,
        nominal: max(occurrence.nominal, CivilDateTime(civilSeconds: last)))
    }
    guard trigger.isCivil else { return occurrence }
    let moment = (schedule?.civilZone.calendar(onDevice: calendar) ?? calendar).dateTime(at: now)
    let nominal = occurrence.nominal
    let passed = nominal.time > moment.time ? moment.date.adding(days: -1) : moment.date
    let date = max(nominal.date, trigger.lastDate(by: passed))
    return OccurrenceID(
      habit: occurrence.habit, schedule: occurrence.schedule,
      nominal: CivilDateTime(date: date, time: nominal.time))
  }
}

extension PlannedRequest {
  /// Whether the habit's schedule has no such request for any of some occurrences.
  fileprivate func isFormer(_ displayed: [OccurrenceID], in habit: Habit) -> Bool {
    let schedule = habit.schedules.first { $0.id == occurrence.schedule }
    return !displayed.contains { isOne(of: Planner.triggers(of: $0.nominal, in: schedule)) }
  }

  /// Whether this request may have delivered an occurrence of its habit.
  fileprivate func mayDisplay(_ other: OccurrenceID) -> Bool {
    guard other.schedule == occurrence.schedule else { return false }
    let isCivil = isOne(of: RequestTrigger.Shape.repeating(at: occurrence.nominal))
    return !isCivil || isOne(of: RequestTrigger.Shape.repeating(at: other.nominal))
  }

  func isOne(of triggers: [RequestTrigger.Shape]) -> Bool {
    triggers.contains {
      RequestID(habit: occurrence.habit, schedule: occurrence.schedule, trigger: $0) == id
    }
  }
}

extension RequestTrigger.Shape {
  /// Returns every shape that fires at a civil time and repeats.
  static func repeating(at moment: CivilDateTime) -> [Self] {
    let shapes: [RepeatShape] = [.daily, .weekly, .monthly, .yearly]
    return shapes.map { $0.trigger(of: moment) }
  }
}
