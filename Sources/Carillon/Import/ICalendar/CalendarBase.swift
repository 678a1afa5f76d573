import CarillonModel

/// On which dates an event stands, as a rule, before an alarm is told from it.
struct CalendarBase {
  /// With the event's time, where the rule names times itself.
  let rule: Rule
  /// The same without times, so that nothing reminds of it.
  let silentRule: Rule
  /// The times beside the rule: those of an event that stands once.
  let times: [TimeOfDay]
  let isDate: Bool
  let zone: ScheduleZone
  let minutes: Int
  /// Where a series begins; nil for an event that stands once.
  let origin: CivilDateTime?

  /// An event that stands once.
  init(once start: CalendarTime, minutes: Int, line: Int) throws {
    guard CivilDate.accepted.contains(start.moment.date) else {
      throw CalendarLoss(.dates, line, "\(start.moment.date)")
    }
    rule = .once(start.moment.date)
    silentRule = rule
    isDate = start.isDate
    times = isDate ? [] : [start.moment.dateTime.time]
    zone = start.scheduleZone
    self.minutes = minutes
    origin = nil
  }

  /// An event that recurs.
  init(
    _ event: CalendarEvent, from start: CalendarTime, without exceptions: [Recurrence.Moment],
    _ zones: CalendarZones
  ) throws {
    guard Recurrence.accepted.contains(start.moment.date) else {
      throw CalendarLoss(.dates, event.line, "\(start.moment.date)")
    }
    // Beyond the accepted dates there is no instance to add or to leave out.
    let additions = event.additions.map { zones.moment($0, like: start) }.filter(\.isAccepted)
    let exceptions = exceptions.filter(\.isAccepted)
    isDate = start.isDate
    times = []
    zone = start.scheduleZone
    minutes = event.minutes
    origin = start.moment.dateTime
    do throws(ModelError) {
      let recurrence = try Recurrence(
        start: start.moment, zone: start.zone,
        ruleText: event.rule.map { zones.rule($0.value, from: start, asDates: false) },
        additions: additions, exceptions: exceptions)
      rule = .recurrence(recurrence)
      guard !start.isDate else {
        silentRule = rule
        return
      }
      silentRule = .recurrence(
        try Recurrence(
          start: start.moment.whole, zone: nil,
          ruleText: event.rule.map { zones.rule($0.value, from: start, asDates: true) },
          additions: additions.map(\.whole), exceptions: exceptions.map(\.whole)))
    } catch {
      throw CalendarLoss(.recurrences, event.rule?.number ?? event.line, error.message)
    }
  }

  /// The schedule of an alarm of the event.
  ///
  /// What fires when the event begins is its rule; so is what fires later on a whole date. All else
  /// is relative to it.
  func schedule(
    _ id: ScheduleID, _ alarm: CalendarAlarm, _ seconds: Int, from edge: Relative.Edge, line: Int
  ) throws -> Schedule {
    let shift = seconds + (edge == .end ? minutes * 60 : 0)
    if alarm.repeatCount == 0 {
      if shift == 0 { return Schedule(id: id, rule: rule, times: ownTimes, zone: zone) }
      if isDate, shift.isMultiple(of: 60), let time = TimeOfDay(minute: shift / 60), shift > 0 {
        return Schedule(id: id, rule: rule, times: [time], zone: zone)
      }
    }
    guard minutes <= 44_640 || edge == .start else {
      throw CalendarLoss(.alarms, line, "an alarm at the end of more than 31 days")
    }
    let relative = Relative(
      to: rule, edge: edge, offsetSeconds: seconds, durationMinutes: edge == .end ? minutes : 0,
      repeatCount: alarm.repeatCount, repeatSeconds: alarm.repeatSeconds)
    return Schedule(id: id, rule: .relative(relative), times: ownTimes, zone: zone)
  }

  /// The schedule of an event without alarms: due, and silent.
  func silentSchedule(_ id: ScheduleID) -> Schedule {
    Schedule(id: id, rule: silentRule, times: [], zone: zone)
  }

  private var ownTimes: [TimeOfDay] { isDate ? [.midnight] : times }
}

extension CalendarTime {
  /// Whose civil time it is.
  var scheduleZone: ScheduleZone { zone.map(ScheduleZone.fixed) ?? .floating }
}

extension Recurrence.Moment {
  /// The whole date.
  fileprivate var whole: Self { .date(date) }

  fileprivate var isAccepted: Bool { Recurrence.accepted.contains(date) }
}

extension CalendarZones {
  /// A time as a series has its own: on the same clock, and a date where they are dates.
  func moment(_ time: CalendarTime, like start: CalendarTime) -> Recurrence.Moment {
    let local = convert(time, to: start.zone ?? standard)
    return start.isDate ? .date(local.moment.date) : local.moment
  }

  /// An RRULE as the vocabulary takes it.
  ///
  /// An UNTIL in UTC becomes one on the start's clock where the start has no zone, and a date where
  /// it is one, as Apple's calendar writes it. `BYSECOND=0` and empty parts say nothing.
  ///
  /// - Parameter asDates: Without times.
  func rule(_ text: String, from start: CalendarTime, asDates: Bool) -> String {
    text.uppercased().split(separator: ";").filter { part in
      part != "BYSECOND=0"
        && !(asDates && (part.hasPrefix("BYHOUR=") || part.hasPrefix("BYMINUTE=")))
    }.map { part in
      guard part.hasPrefix("UNTIL="), let until = RecurrenceDate(part.dropFirst(6)),
        let time = until.time
      else { return String(part) }
      let written = CalendarTime(
        .dateTime(CivilDateTime(date: until.date, time: time)), zone: until.isUTC ? "UTC" : nil)
      let local = convert(written, to: start.zone ?? standard).moment.dateTime
      if asDates || start.isDate {
        let isBefore = !start.isDate && local.time < start.moment.dateTime.time
        return "UNTIL=\(local.date.adding(days: isBefore ? -1 : 0).calendarText)"
      }
      guard until.isUTC, start.zone == nil else { return String(part) }
      return "UNTIL=\(local.date.calendarText)T\(local.time.description.filter { $0 != ":" })00"
    }.joined(separator: ";")
  }
}

extension CivilDate {
  /// `YYYYMMDD`.
  fileprivate var calendarText: String { description.filter { $0 != "-" } }
}
