import CarillonModel

/// The rule of an event's dates, from which the schedules of its alarms are derived.
struct CalendarBase {
  /// The rule with the event's time.
  let rule: Schedule.Rule
  /// The same rule without times, so that it has no reminder; nil if it counts hours or minutes.
  private let silentRule: Schedule.Rule?
  private let line: Int
  /// The times in addition to the rule, for an event that occurs once.
  let times: [TimeOfDay]
  let isDate: Bool
  let zone: ScheduleZone
  let minutes: Int
  /// The start of a series; nil for an event that occurs once.
  let origin: CivilDateTime?

  /// Creates a value for an event that occurs once.
  init(once start: CalendarTime, minutes: Int, line: Int) throws {
    guard CivilDate.accepted.contains(start.moment.date) else {
      throw CalendarLoss(.dates, line, "\(start.moment.date)")
    }
    rule = .once(start.moment.date)
    silentRule = rule
    self.line = line
    isDate = start.isDate
    times = isDate ? [] : [start.moment.dateTime.time]
    zone = start.scheduleZone
    self.minutes = minutes
    origin = nil
  }

  /// Creates a value for an event that recurs.
  init(
    _ event: CalendarEvent, from start: CalendarTime, without exceptions: [Recurrence.Moment],
    _ zones: CalendarZones
  ) throws {
    guard Recurrence.accepted.contains(start.moment.date) else {
      throw CalendarLoss(.dates, event.line, "\(start.moment.date)")
    }
    // Dates outside the accepted range have no instance to add or to exclude.
    let additions = event.additions.map { zones.moment($0, like: start) }.filter(\.isAccepted)
    let exceptions = exceptions.filter(\.isAccepted)
    isDate = start.isDate
    times = []
    zone = start.scheduleZone
    minutes = event.minutes
    origin = start.moment.dateTime
    line = event.rules.first?.number ?? event.line
    do throws(ModelError) {
      let recurrence = try Recurrence(
        start: start.moment, zone: start.zone,
        ruleTexts: event.rules.map { zones.rule($0.value, from: start, asDates: false) },
        excludedRuleTexts: event.excludedRules.map {
          zones.rule($0.value, from: start, asDates: false)
        },
        additions: additions, exceptions: exceptions)
      rule = .recurrence(recurrence)
      guard !start.isDate else {
        silentRule = rule
        return
      }
      guard !(recurrence.rules + recurrence.excludedRules).contains(where: \.countsMinutes) else {
        silentRule = nil
        return
      }
      silentRule = .recurrence(
        try Recurrence(
          start: start.moment.whole, zone: nil,
          ruleTexts: event.rules.map { zones.rule($0.value, from: start, asDates: true) },
          excludedRuleTexts: event.excludedRules.map {
            zones.rule($0.value, from: start, asDates: true)
          },
          additions: additions.map(\.whole), exceptions: exceptions.map(\.whole)))
    } catch {
      throw CalendarLoss(.recurrences, line, error.message)
    }
  }

  /// Returns the schedule of an alarm of the event.
  ///
  /// An alarm at the event's start uses the event's rule, as does a later alarm on an all-day
  /// event. Any other alarm is relative to the rule.
  func schedule(
    _ id: ScheduleID, _ alarm: CalendarAlarm, _ seconds: Int, from edge: Schedule.Relative.Edge,
    line: Int
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
    let relative = Schedule.Relative(
      to: rule, edge: edge, offsetSeconds: seconds, durationMinutes: edge == .end ? minutes : 0,
      repeatCount: alarm.repeatCount, repeatSeconds: alarm.repeatSeconds)
    return Schedule(id: id, rule: .relative(relative), times: ownTimes, zone: zone)
  }

  /// Returns the schedule of an event without alarms, which is due and silent.
  ///
  /// - Throws: `CalendarLoss` if the rule counts hours or minutes: it has no dates to be due on.
  func silentSchedule(_ id: ScheduleID) throws -> Schedule {
    guard let silentRule else {
      throw CalendarLoss(.recurrences, line, "FREQ: hours or minutes without an alarm")
    }
    return Schedule(id: id, rule: silentRule, times: [], zone: zone)
  }

  private var ownTimes: [TimeOfDay] { isDate ? [.midnight] : times }
}

extension RecurrenceRule {
  fileprivate var countsMinutes: Bool { minutesOfPeriod != nil }
}

extension CalendarTime {
  /// The zone of the civil time.
  var scheduleZone: ScheduleZone { zone.map(ScheduleZone.fixed) ?? .floating }
}

extension Recurrence.Moment {
  /// The date without its time.
  fileprivate var whole: Self { .date(date) }

  fileprivate var isAccepted: Bool { Recurrence.accepted.contains(date) }
}

extension CalendarZones {
  /// Returns a time in the form of a series: in the same zone, and as a date if the series has
  /// dates.
  func moment(_ time: CalendarTime, like start: CalendarTime) -> Recurrence.Moment {
    let local = convert(time, to: start.zone ?? standard)
    return start.isDate ? .date(local.moment.date) : local.moment
  }

  /// Returns an RRULE in the supported form.
  ///
  /// An UNTIL in UTC is converted to the start's zone if the start has no zone, and to a date if
  /// the start is a date, as in Apple's calendar. `BYSECOND=0` and empty parts are removed because
  /// they have no effect.
  ///
  /// - Parameter asDates: Whether to remove times.
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
  /// The date as `YYYYMMDD`.
  fileprivate var calendarText: String { description.filter { $0 != "-" } }
}
