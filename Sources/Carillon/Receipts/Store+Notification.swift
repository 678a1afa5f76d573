import CarillonModel
import CarillonSQLite
import CarillonWire
import Foundation

extension Store {
  /// Returns the notification with an ID, followed by the others that it represents.
  ///
  /// They get the same receipts.
  ///
  /// - Parameter found: What ``Context/occurrences(of:since:)`` returns for several IDs, this one
  ///   among them; nil searches for this one.
  func subjects(
    of id: NotificationID, _ context: Context, in found: [RequestID: OccurrenceID]? = nil
  ) throws -> [ReceiptSubject] {
    let subject = try subject(of: id, context, in: found)
    guard let planned = try id.request.flatMap(context.reader.plannedRequest),
      .occurrence(planned.occurrence) == subject
    else { return [subject] }
    return [subject] + planned.alsoRepresents.map(ReceiptSubject.occurrence)
  }

  /// Returns the notification with an ID: an occurrence planned on this device, an occurrence
  /// around now, a fetched item, or a push.
  private func subject(
    of id: NotificationID, _ context: Context, in found: [RequestID: OccurrenceID]?
  ) throws -> ReceiptSubject {
    if let request = id.request, let subject = try subject(of: request, context, in: found) {
      return subject
    }
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

  private func subject(
    of id: RequestID, _ context: Context, in found: [RequestID: OccurrenceID]?
  ) throws -> ReceiptSubject? {
    switch id.kind {
    case .occurrence, .digest:
      return try occurrence(of: id, context, in: found).map(ReceiptSubject.occurrence)
    case .repeating:
      if let found = try context.search(for: [id]).repetition(of: id) {
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

  private func occurrence(
    of id: RequestID, _ context: Context, in found: [RequestID: OccurrenceID]?
  ) throws -> OccurrenceID? {
    let planned = try context.reader.plannedRequest(id)
    if let planned, planned.hasFired(by: context.now) || !planned.isSnoozed {
      return planned.occurrence
    }
    // A snoozed occurrence that is still in the future was delivered under its earlier revision.
    let found = try found ?? context.occurrences(of: [id], since: context.now)
    return found[id] ?? planned?.occurrence.revised(.first)
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

  /// Returns the occurrences of those requests that were not planned on this device, or that are
  /// snoozed, around the time from an instant until now.
  ///
  /// - Complexity: O(occurrences in that time), independent of the number of requests.
  func occurrences(
    of requests: Set<RequestID>, since first: Instant
  ) throws -> [RequestID: OccurrenceID] {
    let unknown = try requests.filter { id in
      guard [.occurrence, .digest].contains(id.kind) else { return false }
      return try reader.plannedRequest(id)?.isSnoozed ?? true
    }
    guard !unknown.isEmpty else { return [:] }
    return try search(for: unknown, since: first).occurrences(of: unknown).mapValues(\.occurrence)
  }

  /// Returns a search over the habits for which the requests were planned on this device, or over
  /// all habits if one was not.
  fileprivate func search(
    for requests: Set<RequestID>, since first: Instant? = nil
  ) throws -> OccurrenceSearch {
    let planned = try requests.map { try reader.plannedRequest($0)?.occurrence.habit }
    let habits = try Set(planned).map { try $0.flatMap(reader.habit) }
    return try search(
      over: habits.contains(nil) ? reader.habits() : habits.compactMap(\.self),
      settings: PlanSettings(zone: zone, store: settings), since: first)
  }

  /// Returns a search over habits.
  func search(
    over habits: [Habit], settings: PlanSettings, since first: Instant? = nil
  ) throws -> OccurrenceSearch {
    let counting = habits.filter(\.asksForEntryTimes).map(\.id)
    // An occurrence comes at most 365 days after its entry.
    let calendar = CivilCalendar(zone: settings.zone)
    let dates = [first ?? now, now].map { calendar.dateTime(at: $0).date }
    let range = dates[0].adding(days: -380)...dates[1].adding(days: 380)
    return OccurrenceSearch(
      habits: habits, entryTimes: try reader.entryTimes(of: counting, range: range),
      settings: settings, now: now, since: first)
  }
}

extension CivilDateTime {
  /// `Mon 2026-11-23 09:00`.
  fileprivate var text: String {
    "\(date.weekday.abbreviation.capitalized) \(date) \(time)"
  }
}
