/// A habit with everything that is known of its dates.
///
/// A class, so that all schedules of the habit share it. A new reason to suppress must also end the
/// shortcuts ``suppressesSingleDates`` and ``isPlain``.
final class HabitFacts {
  let habit: Habit
  fileprivate let pauses: [Pause]
  let days: StoreState.Days
  /// The latest recording of a live entry on each date, if the habit has snoozes.
  fileprivate let lastRecordings: [CivilDate: EventID]
  /// The instants at which entries were made, ascending.
  let entryTimes: [Instant]
  /// The instants at which the schedules were first set.
  fileprivate let created: [ScheduleID: Instant]
  /// Whether single dates may be suppressed, whatever the schedule's condition.
  let suppressesSingleDates: Bool
  /// Whether no fact can suppress a schedule that has no condition.
  fileprivate let isPlain: Bool
  /// The occurrences that were delivered on any device.
  let delivered: DeliveredOccurrences

  private let allReceipts: Set<OccurrenceReceipt>
  /// The receipts of each occurrence.
  fileprivate private(set) lazy var receipts = Dictionary(grouping: allReceipts, by: \.occurrence)

  /// The dates on which the habit is done, ascending.
  private(set) lazy var doneDates = days.lazy.filter { $0.day.isDone(self.habit) }.map(\.date)

  init(
    _ habit: consuming Habit, state: borrowing StoreState, pauses: PauseIndex, device: ReplicaID,
    now: Instant
  ) {
    let id = habit.id
    self.pauses = pauses[id]
    days = state.days[id] ?? [:]
    lastRecordings = state.lastRecordings[id] ?? [:]
    entryTimes = state.entryTimes[id]?.sorted() ?? []
    created = state.scheduleCreated[id] ?? [:]
    allReceipts = state.receipts[id] ?? []
    delivered = DeliveredOccurrences(
      allReceipts, of: habit, on: state.devices, for: device, now: now)
    suppressesSingleDates = !self.pauses.isEmpty || days.contains { $0.day.mark == .skip }
    isPlain =
      self.pauses.isEmpty && days.isEmpty && habit.start == nil && habit.end == nil
      && !habit.isDeleted && !habit.isArchived
    self.habit = habit
  }

  /// Whether there are pauses that cover any date.
  var hasPauses: Bool { !pauses.isEmpty }

  /// Whether a pause covers a date.
  func isPaused(on date: CivilDate) -> Bool {
    pauses.contains { $0.covers(date, of: habit.id) }
  }

  /// Whether any entry was made at or after an instant.
  func hasEntry(since start: Instant) -> Bool { entryTimes.last.map { $0 >= start } ?? false }

  /// Returns the end of the period of `seconds` seconds that starts with the last entry at or
  /// before `instant`, or nil if that period is over or there is no such entry.
  fileprivate func end(ofEntryWithin seconds: Int, before instant: Instant) -> Instant? {
    guard let last = entryTimes.last(where: { $0 <= instant }),
      last > instant.adding(seconds: -seconds)
    else { return nil }
    return last.adding(seconds: seconds)
  }
}

/// The rules that suppress the occurrences of one schedule, shared by planning and explaining.
struct Suppression {
  let facts: HabitFacts
  let schedule: ScheduleID
  private let condition: Schedule.Condition
  private let quota: Quota?
  private let doneWithinSeconds: Int?
  /// The instant at which the schedule was first set, or nil if it always existed.
  let created: Instant?
  /// Whether the schedule fires regardless of entries and activity.
  let isUnconditional: Bool
  /// The last due date before the schedule stops because of inactivity.
  let lastActiveDue: CivilDate?

  /// - Parameter index: The index of the schedule in its habit. An index avoids copying the
  ///   schedule.
  init(_ facts: HabitFacts, schedule index: Int, lastActive: CivilDate?) {
    self.facts = facts
    schedule = facts.habit.schedules[index].id
    created = facts.created[schedule]
    condition = facts.habit.schedules[index].unless
    doneWithinSeconds = facts.habit.schedules[index].doneWithinSeconds
    quota =
      condition.contains(.quota) ? facts.habit.schedules[index].quota ?? facts.habit.goal : nil
    let hasCondition = !condition.isEmpty || doneWithinSeconds != nil
    let limit = facts.habit.schedules[index].stopAfterDays ?? (hasCondition ? 7 : 0)
    isUnconditional = !hasCondition && limit == 0
    lastActiveDue = limit > 0 ? lastActive?.adding(days: limit) : nil
  }

  /// Whether the schedule fires no more on a date that is done.
  var endsWhenDone: Bool { !condition.isDisjoint(with: [.done, .quota]) }

  /// The last due date that can fire at all, or nil if there is none.
  var lastDue: CivilDate? {
    guard let end = facts.habit.end else { return lastActiveDue }
    return lastActiveDue.map { min($0, end) } ?? end
  }

  /// Returns the reason why a snoozed occurrence is suppressed, or nil if it fires.
  ///
  /// The person's wish outranks the conditions of the schedule, except that its date is not done.
  func reason(_ occurrence: Occurrence, snoozedUntil until: Instant) -> Explanation.Reason? {
    if let reason = undelivered(occurrence, at: until), !reason.yieldsToSnooze { return reason }
    return wasDelivered(occurrence, in: .snoozed(until: until)) ? .delivered : nil
  }

  /// Returns the reason why an occurrence that nothing moves is suppressed, or nil if it fires.
  func reason(_ occurrence: Occurrence) -> Explanation.Reason? {
    if let reason = undelivered(occurrence, at: occurrence.instant) { return reason }
    return wasDelivered(occurrence, in: occurrence.revision) ? .delivered : nil
  }

  /// Returns the reason, except an earlier delivery, why an occurrence is suppressed that fires at
  /// an instant.
  private func undelivered(_ occurrence: Occurrence, at instant: Instant) -> Explanation.Reason? {
    let reason = reason(due: occurrence.due, at: instant)
    guard let created, occurrence.instant < created else { return reason }
    switch reason {
    case .deleted, .archived, .paused: return reason
    default: return .beforeStart
    }
  }

  /// Whether an occurrence was delivered in a revision on any device.
  func wasDelivered(_ occurrence: Occurrence, in revision: OccurrenceID.Revision) -> Bool {
    !facts.delivered.isEmpty && facts.delivered.contains(id(of: occurrence, in: revision))
  }

  /// Returns the receipts of an occurrence in some revisions.
  func receipts(
    of occurrence: Occurrence, in revisions: [OccurrenceID.Revision]
  ) -> [OccurrenceReceipt] {
    guard !facts.receipts.isEmpty else { return [] }
    return revisions.flatMap { facts.receipts[id(of: occurrence, in: $0)] ?? [] }
  }

  /// Returns the identity of an occurrence in a revision, as receipts record it.
  func id(of occurrence: Occurrence, in revision: OccurrenceID.Revision) -> OccurrenceID {
    OccurrenceID(
      habit: facts.habit.id, schedule: schedule, nominal: occurrence.identity, revision: revision)
  }

  /// Returns the reason why an occurrence that is due on a date and fires at an instant is
  /// suppressed, or nil if it fires.
  ///
  /// Ignores earlier deliveries.
  ///
  /// - Parameter instant: Nil if the notification has no time.
  func reason(due: CivilDate, at instant: Instant?) -> Explanation.Reason? {
    if facts.isPlain && doneWithinSeconds == nil && lastActiveDue == nil { return nil }
    let habit = facts.habit
    if habit.isDeleted { return .deleted }
    if habit.isArchived { return .archived }
    if facts.isPaused(on: due) { return .paused }
    if let start = habit.start, due < start { return .beforeStart }
    if let end = habit.end, due > end { return .afterEnd }
    if let reason = reason(ofEntriesFor: due, at: instant) { return reason }
    if let lastActiveDue, due > lastActiveDue { return .inactive }
    return nil
  }

  /// Whether a snooze is over because its date is skipped or done.
  func ends(_ snooze: Snooze, due: CivilDate) -> Bool {
    guard let day = facts.days[due] else { return false }
    guard day.isDone(facts.habit) else { return day.mark == .skip }
    if endsWhenDone { return true }
    guard let set = snooze.event, let last = facts.lastRecordings[due] else { return false }
    return last > set
  }

  /// Returns the end, excluded, of the period in which an entry made at or before an instant
  /// suppresses the schedule, or nil if no entry suppresses it at that instant.
  func endOfEntry(before instant: Instant) -> Instant? {
    doneWithinSeconds.flatMap { facts.end(ofEntryWithin: $0, before: instant) }
  }

  private func reason(ofEntriesFor due: CivilDate, at instant: Instant?) -> Explanation.Reason? {
    let day = facts.days[due]
    let isDone = day?.isDone(facts.habit) ?? false
    if day?.mark == .skip && !isDone { return .skipped }
    if isDone && endsWhenDone { return .done }
    if let instant, endOfEntry(before: instant) != nil { return .done }
    if let quota, isMet(quota, due: due) { return .quotaMet }
    if condition.contains(.entry), let day, day.entryCount > 0 || day.mark == .no {
      return .anyEntry
    }
    return nil
  }

  private func isMet(_ quota: Quota, due: CivilDate) -> Bool {
    if quota.period == .day {
      return facts.days[due].map { $0.amount.thousandths >= Int64(quota.count) * 1_000 } ?? false
    }
    let dates = quota.period.dates(around: due)
    return facts.doneDates.lazy.filter(dates.contains).prefix(quota.count).count == quota.count
  }
}

extension Explanation.Reason {
  /// Whether the reason does not suppress a snoozed occurrence.
  ///
  /// No reason that suppresses a snoozed occurrence comes after these.
  var yieldsToSnooze: Bool { [.quotaMet, .anyEntry, .inactive].contains(self) }
}

extension Quota.Period {
  /// The maximum number of dates that count together.
  package var length: Int {
    switch self {
    case .day: 1
    case .week: 7
    case .month: 31
    case .rolling(let days): days
    }
  }

  /// Returns the dates that count together with a due date.
  package func dates(around due: CivilDate) -> ClosedRange<CivilDate> {
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
  /// Whether a completion or an entry can suppress the schedule.
  var hasCondition: Bool { !unless.isEmpty || doneWithinSeconds != nil }

  /// The number of days without activity after which the schedule stops.
  ///
  /// 0 means never.
  ///
  /// If the schedule does not set it, 7 with a condition, otherwise never.
  package var inactivityDays: Int { stopAfterDays ?? (hasCondition ? 7 : 0) }
}

extension Suppression {
  /// Returns the values behind a reason that follows from the facts of a due date.
  ///
  /// - Parameter instant: The instant at which the occurrence fires or would fire. Nil if the
  ///   notification has no time.
  func detail(
    of reason: Explanation.Reason, due: CivilDate, at instant: Instant?
  ) -> Explanation.Detail {
    let habit = facts.habit
    switch reason {
    case .paused:
      let pauses = facts.pauses.filter { $0.covers(due, of: habit.id) }
      let lasts = pauses.map(\.last)
      return .paused(
        first: pauses.map(\.first).min() ?? due,
        last: lasts.contains(nil) ? nil : lasts.compactMap(\.self).max(),
        ofAll: pauses.contains { $0.habit == nil })
    case .beforeStart:
      if let start = habit.start, due < start { return .date(start) }
      return created.map { .created($0) } ?? .none
    case .afterEnd: return habit.end.map { .date($0) } ?? .none
    case .done:
      if endsWhenDone, facts.days[due]?.isDone(habit) ?? false { return .none }
      return instant.flatMap(endOfEntry).map { .doneRecently(until: $0) } ?? .none
    case .quotaMet: return quota.map { .quota($0, done: doneCount($0, due: due)) } ?? .none
    case .inactive:
      let limit = habit.schedules.first { $0.id == schedule }?.inactivityDays ?? 0
      return lastActiveDue.map { .inactive(since: $0.adding(days: -limit), days: limit) } ?? .none
    default: return .none
    }
  }

  /// Returns how far the quota was met by what had been recorded when a past occurrence fired.
  ///
  /// - Returns: `none` if the schedule was changed since, so that its quota then is not known; nil
  ///   if the quota was not met then.
  func quota(
    due: CivilDate, at instant: Instant, by history: HabitHistory
  ) -> Explanation.Detail? {
    guard let quota, history.schedules[schedule].map({ history.was($0, by: instant) }) ?? true
    else {
      return Explanation.Detail.none
    }
    let days = quota.period.dates(around: due).map { history.day($0, by: instant) }
    let done =
      quota.period == .day
      ? Int(clamping: (days.first?.amount.thousandths ?? 0) / 1_000)
      : days.count { $0.isDone(facts.habit) }
    return done >= quota.count ? .quota(quota, done: done) : nil
  }

  /// Returns what counts towards a quota in the period of a due date.
  private func doneCount(_ quota: Quota, due: CivilDate) -> Int {
    guard quota.period != .day else {
      return Int(clamping: (facts.days[due]?.amount.thousandths ?? 0) / 1_000)
    }
    let dates = quota.period.dates(around: due)
    return facts.doneDates.count(where: dates.contains)
  }
}

/// What was recorded for a habit, with the events that tell when.
package struct HabitHistory {
  /// The entries of the dates in question.
  package let entries: [CivilDate: [HabitEntry]]
  /// The instant at which each schedule was last set.
  package let schedules: [ScheduleID: Instant]
  private let now: Instant

  /// Creates a value from its parts.
  package init(
    entries: [CivilDate: [HabitEntry]], schedules: [ScheduleID: Instant], now: Instant
  ) {
    self.entries = entries
    self.schedules = schedules
    self.now = now
  }

  /// Whether something that was written at one instant was there at another.
  ///
  /// A time ahead of now proves nothing: a clock that was ahead wrote it.
  fileprivate func was(_ written: Instant, by instant: Instant) -> Bool {
    written <= instant || written > now.lastKnown
  }

  /// Returns what had been recorded for a date by an instant.
  fileprivate func day(_ date: CivilDate, by instant: Instant) -> StoreState.Day {
    var day = StoreState.Day()
    for entry in entries[date] ?? [] {
      let first = entry.recordings.lazy.map(\.timestamp.milliseconds).min() ?? 0
      guard was(Instant(milliseconds: first), by: instant) else { continue }
      day.amount = Amount(thousandths: day.amount.thousandths + entry.amount.thousandths)
      day.entryCount += 1
    }
    return day
  }
}
