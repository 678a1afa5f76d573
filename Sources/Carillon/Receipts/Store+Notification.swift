import CarillonModel
import CarillonSQLite
import CarillonWire
import Foundation

extension Store {
  /// Returns the notification with an ID, followed by the others that it represents.
  ///
  /// They get the same receipts.
  func subjects(of id: NotificationID, _ context: Context) throws -> [ReceiptSubject] {
    let subject = try subject(of: id, context)
    guard let planned = try id.request.flatMap(context.reader.plannedRequest),
      .occurrence(planned.occurrence) == subject
    else { return [subject] }
    return [subject] + planned.alsoRepresents.map(ReceiptSubject.occurrence)
  }

  /// Returns the notification with an ID: an occurrence planned on this device, an occurrence
  /// around now, a fetched item, or a push.
  private func subject(of id: NotificationID, _ context: Context) throws -> ReceiptSubject {
    if let request = id.request, let found = try subject(of: request, context) { return found }
    // The sender chooses a push's ID, so it may look like a request's.
    if let revision = try context.reader.pushRevision(id.description) {
      return .push(id: id.description, revision: revision)
    }
    if id.request?.kind == .openApp {
      throw StoreError(
        code: .notFound,
        message: "\"\(id)\" is a request to open the app, which has no receipts",
        reason: .openRequest)
    }
    throw StoreError(
      code: .notFound, message: "there is no notification \"\(id)\"",
      reason: .noNotification(days: OccurrenceSearch.days))
  }

  private func subject(of id: RequestID, _ context: Context) throws -> ReceiptSubject? {
    switch id.kind {
    case .occurrence, .digest:
      return try occurrence(of: id, context).map(ReceiptSubject.occurrence)
    case .repeating:
      if let found = try context.search(for: id).repetition(of: id) {
        return .occurrence(try latest(of: found, context))
      }
      // The schedule has since been changed or removed, but its last planned occurrence is known.
      guard let planned = try context.reader.plannedRequest(id) else { return nil }
      if planned.fireAt == nil { return .occurrence(context.today(atPlaceOf: planned)) }
      return try lastFired(planned, context).map(ReceiptSubject.occurrence)
    case .item: return try context.reader.item(id)
    case .openApp: return nil
    }
  }

  /// Returns the occurrence for which a repeating request of a former rule fired last; nil if it
  /// never did.
  private func lastFired(_ planned: PlannedRequest, _ context: Context) throws -> OccurrenceID? {
    guard let last = planned.lastFiring(by: context.now, CivilCalendar(zone: context.zone)),
      try planned.hasFired(by: context.now)
        || wasSet(
          last.occurrence.schedule, of: last.occurrence.habit, for: last.occurrence.nominal,
          by: last.fireAt, context)
    else { return nil }
    return last.occurrence
  }

  private func occurrence(of id: RequestID, _ context: Context) throws -> OccurrenceID? {
    let planned = try context.reader.plannedRequest(id)
    if let planned, planned.hasFired(by: context.now) || !planned.isSnoozed {
      return planned.occurrence
    }
    // A snoozed occurrence that is still in the future was delivered under its earlier revision.
    return try context.search(for: id).occurrence(of: id) ?? planned?.occurrence.revised(.first)
  }

  /// Returns the occurrence of a repeating request that fired last.
  private func latest(of found: Repetition, _ context: Context) throws -> OccurrenceID {
    guard let latest = found.latest,
      try wasSet(
        found.schedule, of: found.habit.id, for: latest.nominal, by: latest.fireAt, context)
    else {
      let next = found.next.map { "; it fires first on \($0.text)" } ?? ""
      throw StoreError(
        code: .notFound, message: "\(found.habit.title) has not fired yet\(next)",
        reason: .notFired)
    }
    return OccurrenceID(habit: found.habit.id, schedule: found.schedule, nominal: latest.nominal)
  }

  /// Whether a schedule, as it was set when an occurrence fired, had that occurrence.
  ///
  /// Returns true if the first event that set the schedule is ahead of now: the clock that wrote it
  /// was wrong, so its time proves nothing.
  ///
  /// - Complexity: O(1); O(events) for a schedule that was set again since, but only events that
  ///   set a schedule are decoded.
  private func wasSet(
    _ schedule: ScheduleID, of habit: HabitID, for nominal: CivilDateTime, by fireAt: Instant,
    _ context: Context
  ) throws -> Bool {
    if let written = try context.reader.scheduleWritten(schedule, of: habit), written <= fireAt {
      return true
    }
    var held: [(event: EventID, set: ScheduleSet)] = []
    var wasWritten = false
    try log.scanIntact(after: .start) { raw in
      let written = Instant(milliseconds: raw.id.timestamp.milliseconds)
      guard written <= context.now, let set = Self.scheduleSet(raw), set.schedule.id == schedule
      else {
        return true
      }
      wasWritten = true
      if written <= fireAt { held.append((raw.id, set)) }
      return true
    }
    return ScheduleSet.merge(held)?.occurs(at: nominal) ?? !wasWritten
  }

  /// Returns the schedule that an event sets; nil for any other event and for one that cannot be
  /// read.
  private static func scheduleSet(_ raw: RawEvent) -> ScheduleSet? {
    guard case .scheduleSet(let set) = raw.payload(of: .scheduleSet) else { return nil }
    return set
  }
}

extension PlannedRequest {
  fileprivate func hasFired(by now: Instant) -> Bool { fireAt.map { $0 <= now } ?? true }

  fileprivate var isSnoozed: Bool {
    if case .snoozed = occurrence.revision { true } else { false }
  }
}

extension Context {
  /// Returns the occurrence of a place-based schedule, which is identified by midnight of the day
  /// of the crossing.
  fileprivate func today(atPlaceOf planned: PlannedRequest) -> OccurrenceID {
    let date = CivilCalendar(zone: zone).dateTime(at: now).date
    return OccurrenceID(
      habit: planned.occurrence.habit, schedule: planned.occurrence.schedule,
      nominal: CivilDateTime(date: date, time: .midnight))
  }

  /// Returns a search over the habit for which the request was planned on this device, or over all
  /// habits if it was not.
  fileprivate func search(for request: RequestID) throws -> OccurrenceSearch {
    let planned = try reader.plannedRequest(request).flatMap {
      try reader.habit($0.occurrence.habit)
    }
    return try search(
      over: planned.map { [$0] } ?? reader.habits(),
      settings: PlanSettings(zone: zone, store: settings))
  }

  /// Returns a search over habits.
  func search(over habits: [Habit], settings: PlanSettings) throws -> OccurrenceSearch {
    let counting = habits.filter(\.asksForEntryTimes).map(\.id)
    // An occurrence comes at most 365 days after its entry.
    let today = CivilCalendar(zone: settings.zone).dateTime(at: now).date
    let range = today.adding(days: -380)...today.adding(days: 380)
    return OccurrenceSearch(
      habits: habits, entryTimes: try reader.entryTimes(of: counting, range: range),
      settings: settings, now: now)
  }
}

extension CivilDateTime {
  /// `Mon 2026-11-23 09:00`.
  fileprivate var text: String {
    "\(date.weekday.abbreviation.capitalized) \(date) \(time)"
  }
}
