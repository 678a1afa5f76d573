/// A habit with what is known of its dates.
///
/// A class, since all schedules of the habit share it.
final class HabitFacts {
  let habit: Habit
  fileprivate let pauses: [Pause]
  fileprivate let days: [CivilDate: State.Day]
  /// When entries were made, ascending.
  fileprivate let entryTimes: [Instant]
  /// Whether single dates may be silent, whatever the schedule's condition.
  let suppressesSingleDates: Bool
  /// Whether nothing is known that keeps a schedule without a condition silent.
  fileprivate let isPlain: Bool
  /// What was shown on any device.
  let shown: ShownOccurrences

  /// The dates on which the habit is done, ascending.
  private(set) lazy var doneDates = days.lazy.filter { $0.value.isDone(self.habit) }.map(\.key)
    .sorted()

  init(
    _ habit: consuming Habit, state: borrowing State, pauses: PauseIndex, device: ReplicaID,
    now: Instant
  ) {
    let id = habit.id
    self.pauses = pauses[id]
    days = state.days[id] ?? [:]
    entryTimes = (state.entryTimes[id] ?? []).sorted()
    shown = ShownOccurrences(
      state.receipts[id] ?? [], of: habit, on: state.devices, for: device, now: now)
    suppressesSingleDates = !self.pauses.isEmpty || days.values.contains { $0.mark == .skip }
    isPlain =
      self.pauses.isEmpty && days.isEmpty && habit.start == nil && habit.end == nil
      && !habit.isDeleted && !habit.isArchived
    self.habit = habit
  }

  /// Where an entry was made in so many seconds before an instant, it included: so many seconds
  /// after the last one.
  fileprivate func end(ofEntryWithin seconds: Int, before instant: Instant) -> Instant? {
    guard let last = entryTimes.last(where: { $0 <= instant }),
      last > instant.adding(seconds: -seconds)
    else { return nil }
    return last.adding(seconds: seconds)
  }
}

/// What keeps the occurrences of one schedule silent: the one decision that planning and explaining
/// share.
struct Suppression {
  let facts: HabitFacts
  let schedule: ScheduleID
  private let condition: Condition
  private let quota: Quota?
  private let doneWithinSeconds: Int?
  /// Whether the schedule fires whatever was done or not.
  let isUnconditional: Bool
  /// The last due date before the schedule stops for want of activity.
  let lastActiveDue: CivilDate?

  /// - Parameter index: The schedule's place in the habit; by it, so that no schedule is copied.
  init(_ facts: HabitFacts, schedule index: Int, lastActive: CivilDate?) {
    self.facts = facts
    schedule = facts.habit.schedules[index].id
    condition = facts.habit.schedules[index].unless
    doneWithinSeconds = facts.habit.schedules[index].doneWithinSeconds
    quota =
      condition.contains(.quota)
      ? facts.habit.schedules[index].quota ?? facts.habit.goal.flatMap(Quota.init) : nil
    let hasCondition = !condition.isEmpty || doneWithinSeconds != nil
    let limit = facts.habit.schedules[index].stopAfterDays ?? (hasCondition ? 7 : 0)
    isUnconditional = !hasCondition && limit == 0
    lastActiveDue = limit > 0 ? lastActive?.adding(days: limit) : nil
  }

  /// The last due date that can fire at all, where there is one.
  var lastDue: CivilDate? {
    guard let end = facts.habit.end else { return lastActiveDue }
    return lastActiveDue.map { min($0, end) } ?? end
  }

  /// Why an occurrence is silent that fires at an instant in a revision, or nil.
  func reason(_ occurrence: Occurrence, at instant: Instant, revision: String) -> Reason? {
    if let reason = reason(due: occurrence.due, at: instant) { return reason }
    return facts.shown.contains(schedule, occurrence.identity, revision: revision) ? .shown : nil
  }

  /// Why an occurrence is silent that nothing moves, or nil.
  func reason(_ occurrence: Occurrence) -> Reason? {
    if let reason = reason(due: occurrence.due, at: occurrence.instant) { return reason }
    guard !facts.shown.isEmpty else { return nil }
    return facts.shown.contains(schedule, occurrence.identity, revision: occurrence.revision)
      ? .shown : nil
  }

  /// Why what is due on a date and fires at an instant is silent, whatever was shown, or nil.
  ///
  /// - Parameter instant: Nil where the reminder has no time.
  func reason(due: CivilDate, at instant: Instant?) -> Reason? {
    if facts.isPlain && doneWithinSeconds == nil && lastActiveDue == nil { return nil }
    let habit = facts.habit
    if habit.isDeleted { return .deleted }
    if habit.isArchived { return .archived }
    if facts.pauses.contains(where: { $0.covers(due, of: habit.id) }) { return .paused }
    if let start = habit.start, due < start { return .beforeStart }
    if let end = habit.end, due > end { return .afterEnd }
    if let reason = reason(ofEntriesFor: due, at: instant) { return reason }
    if let lastActiveDue, due > lastActiveDue { return .inactive }
    return nil
  }

  /// Until when an entry made before an instant keeps the schedule silent, that excluded; nil where
  /// none does at the instant.
  func endOfEntry(before instant: Instant) -> Instant? {
    doneWithinSeconds.flatMap { facts.end(ofEntryWithin: $0, before: instant) }
  }

  private func reason(ofEntriesFor due: CivilDate, at instant: Instant?) -> Reason? {
    let day = facts.days[due]
    let isDone = day?.isDone(facts.habit) ?? false
    if day?.mark == .skip && !isDone { return .skipped }
    if isDone && !condition.isDisjoint(with: [.done, .quota]) { return .done }
    if let instant, endOfEntry(before: instant) != nil { return .done }
    if let quota, isMet(quota, due: due) { return .quotaMet }
    if condition.contains(.entry), let day, day.entryCount > 0 || day.mark == .no {
      return .anyEntry
    }
    return nil
  }

  private func isMet(_ quota: Quota, due: CivilDate) -> Bool {
    if quota.period == .day {
      return facts.days[due].map { $0.amount >= Int64(quota.count) * 1_000 } ?? false
    }
    let dates = quota.period.dates(around: due)
    return facts.doneDates.lazy.filter(dates.contains).prefix(quota.count).count == quota.count
  }
}

extension Quota {
  /// A habit's goal, which counts rolling days.
  init?(_ goal: Goal) {
    self.init(count: goal.count, per: .rolling(days: goal.days))
  }
}

extension Quota.Period {
  /// The dates that count together with a due date.
  func dates(around due: CivilDate) -> ClosedRange<CivilDate> {
    switch self {
    case .day: return due...due
    case .week:
      let monday = due.adding(days: 1 - Int(due.weekday.rawValue))
      return monday...monday.adding(days: 6)
    case .month:
      let first = due.adding(days: 1 - due.components.day)
      let next = first.adding(days: 31)
      return first...next.adding(days: -next.components.day)
    case .rolling(let days): return due.adding(days: 1 - days)...due
    }
  }
}

extension Schedule {
  /// Whether anything that is done or entered keeps it silent.
  var hasCondition: Bool { !unless.isEmpty || doneWithinSeconds != nil }

  /// After how many days without activity the reminders stop; 0 is never.
  ///
  /// Where the schedule does not say: 7 with a condition, else never.
  public var inactivityDays: Int { stopAfterDays ?? (hasCondition ? 7 : 0) }
}
