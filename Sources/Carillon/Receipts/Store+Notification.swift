import CarillonModel
import CarillonSQLite
import CarillonWire
import Foundation

/// A notification, identified by its subject and revision.
struct Notification: Hashable, Sendable {
  let subject: ReceiptSubject
  var revision = ReceiptSubject.firstRevision
}

extension Notification {
  /// Creates the notification of an occurrence.
  init(_ occurrence: OccurrenceID) {
    self.init(subject: occurrence.subject, revision: occurrence.revision)
  }
}

extension Store {
  /// Returns the notification with an ID, followed by those that it also covers.
  ///
  /// They get the same receipts.
  func notifications(of id: String, _ context: Context) throws -> [Notification] {
    let shown = try notification(id, context)
    guard let planned = try context.reader.occurrence(of: id),
      Notification(planned.occurrence) == shown
    else { return [shown] }
    return [shown] + planned.alsoCovers.map(Notification.init)
  }

  /// Returns the notification with an ID: an occurrence planned on this device, an occurrence
  /// around now, a fetched item, or a push.
  func notification(_ id: String, _ context: Context) throws -> Notification {
    let reader = context.reader
    if id.hasPrefix("c1.") || id.hasPrefix("c1d.") {
      if let found = try occurrence(of: id, context) { return found }
    } else if id.hasPrefix("c1r.") {
      if let found = try context.search(for: id).repetition(of: id) {
        return Notification(subject: try latest(of: found, context))
      }
      // The schedule has since been changed or removed, but its last planned occurrence is known.
      if let planned = try reader.occurrence(of: id) {
        if planned.fireAt == nil { return context.today(atPlaceOf: planned) }
        if planned.hasRung(by: context.now) { return Notification(planned.occurrence) }
      }
    } else if id.hasPrefix("c1i.") {
      if let item = try reader.item(key: id) {
        return Notification(subject: item.subject, revision: item.revision)
      }
    }
    // The sender chooses a push's ID, so it may start with one of our prefixes.
    if let revision = try reader.pushRevision(id) {
      return Notification(subject: .push(id: id), revision: revision)
    }
    if id.hasPrefix("c1o.") {
      throw StoreError(
        code: .notFound,
        message: "\"\(id)\" is a request to open the app, which has no receipts",
        hint: "to record app activity, run: carillon active")
    }
    throw StoreError(
      code: .notFound, message: "there is no notification \"\(id)\"",
      hint: "use an id from carillon pending, ingest or receive; reminders are known for "
        + "\(OccurrenceSearch.days) days")
  }

  private func occurrence(of id: String, _ context: Context) throws -> Notification? {
    let planned = try context.reader.occurrence(of: id)
    if let planned, planned.hasRung(by: context.now) || !planned.isSnoozed {
      return Notification(planned.occurrence)
    }
    // A snoozed occurrence that is still in the future was delivered under its earlier revision.
    return try context.search(for: id).occurrence(of: id).map(Notification.init)
      ?? planned.map { Notification(subject: $0.occurrence.subject) }
  }

  /// Returns the occurrence of a repeating request that fired last.
  private func latest(of found: Repetition, _ context: Context) throws -> ReceiptSubject {
    guard let latest = found.latest,
      try wasSet(
        found.schedule, of: found.habit.id, for: latest.nominal, by: latest.fireAt, context)
    else {
      let next = found.next.map { "; it fires first on \($0.text)" } ?? ""
      throw StoreError(
        code: .notFound, message: "\(found.habit.title) has not fired yet\(next)",
        hint: "to record a date without a notification, run: carillon done HABIT --on DATE")
    }
    return .occurrence(habit: found.habit.id, schedule: found.schedule, nominal: latest.nominal)
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
    var held: (id: EventID, schedule: Schedule)?
    var wasWritten = false
    try log.scanIntact(after: .start) { raw in
      let written = Instant(milliseconds: raw.id.timestamp.milliseconds)
      guard written <= context.now, let set = Self.scheduleSet(raw), set.schedule.id == schedule
      else {
        return true
      }
      wasWritten = true
      if written <= fireAt, held.map({ $0.id < raw.id }) ?? true { held = (raw.id, set.schedule) }
      return true
    }
    return held?.schedule.occurs(at: nominal) ?? !wasWritten
  }

  /// Returns the schedule that an event sets; nil for any other event and for one that cannot be
  /// read.
  private static func scheduleSet(_ raw: RawEvent) -> ScheduleSet? {
    guard case .scheduleSet(let set) = raw.payload(of: .scheduleSet) else { return nil }
    return set
  }
}

extension RequestOccurrence {
  fileprivate func hasRung(by now: Instant) -> Bool { fireAt.map { $0 <= now } ?? true }

  /// Whether the revision is that of a snooze, and neither the first revision nor a repeat's.
  fileprivate var isSnoozed: Bool {
    occurrence.revision != ReceiptSubject.firstRevision && !occurrence.revision.hasPrefix("r")
  }
}

extension Context {
  /// Returns the notification of a place-based schedule, which is identified by midnight of the day
  /// of the crossing.
  fileprivate func today(atPlaceOf planned: RequestOccurrence) -> Notification {
    let date = CivilCalendar(zone: zone).dateTime(at: now).date
    return Notification(
      subject: .occurrence(
        habit: planned.occurrence.habit, schedule: planned.occurrence.schedule,
        nominal: CivilDateTime(date: date, time: .midnight)))
  }

  /// Returns a search over the habit for which the request was planned on this device, or over all
  /// habits if it was not.
  fileprivate func search(for request: String) throws -> OccurrenceSearch {
    let planned = try reader.occurrence(of: request).flatMap {
      try reader.habit($0.occurrence.habit)
    }
    return OccurrenceSearch(
      habits: try planned.map { [$0] } ?? reader.habits(),
      settings: PlanSettings(zone: zone, store: settings), now: now)
  }
}

extension CivilDateTime {
  /// `Mon 2026-11-23 09:00`.
  fileprivate var text: String {
    "\(date.weekday.abbreviation.capitalized) \(date) \(time)"
  }
}
