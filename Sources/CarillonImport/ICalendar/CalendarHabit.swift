import Carillon
import CarillonModel

/// The habit of one series by itself, which ``CalendarGroups`` joins with those of its siblings.
struct CalendarHabit {
  /// The habit, whose ID derives from the series and whose schedules have the revisions of the
  /// events, as those of a habit without siblings.
  private(set) var habit: Habit
  /// The dates on which it was done.
  private(set) var dates: [CivilDate] = []
  /// The event that decides the title.
  let event: CalendarEvent
  /// The digest of the series and its instances.
  let content: String
  /// The digest of the habit's contents.
  private let digest: String
  private let series: CalendarSeries
  private let zones: CalendarZones

  /// Creates the habit, and counts the parts that have no place in a store.
  ///
  /// - Throws: `CalendarLoss` if the series cannot be imported at all.
  init?(
    _ series: CalendarSeries, from source: String, _ zones: CalendarZones,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) throws {
    guard let event = series.events.first else { return nil }
    let place = "line \(event.line)"
    let title = event.title.split(whereSeparator: \.isNewline).joined(separator: " ")
    (self.event, self.series, self.zones) = (event, series, zones)
    content = CalendarRevision.digest(of: series.events.map(\.revision.content).sorted())
    digest = CalendarRevision.digest(of: [content])
    habit = ForeignHabit(
      key: series.key, title: title, notes: event.notes.joined(separator: "\n\n"),
      group: event.category
    ).habit(from: source, at: place, &ignored)
    let schedules = try allSchedules(&ignored)
    habit.schedules = Array(schedules.prefix(Habit.maxSchedules))
    for _ in schedules.dropFirst(Habit.maxSchedules) { ignored.add(.tooManyAlarms, at: place) }
    habit.isArchived =
      series.whole?.isCancelled == true || series.events.allSatisfy(\.isCancelled)
    if habit.isArchived {
      ignored.add(.cancelled, at: place)
      dates = []
    } else if dates.isEmpty, !schedules.contains(where: \.reminds) {
      ignored.add(.withoutAlarm, at: place)
    }
  }

  // MARK: - Schedules

  /// Returns the schedules of the series, then those of its instances, the latest first.
  private mutating func allSchedules(
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) throws -> [Schedule] {
    var schedules: [Schedule] = []
    let start = series.whole?.start.map { local($0, of: series.whole) }
    let exceptions =
      series.whole?.exceptions.filter {
        Recurrence.accepted.contains($0.moment.date)
      } ?? []
    var without = start.map { start in exceptions.map { zones.moment($0, like: start) } } ?? []
    var moved: [CalendarEvent] = []
    for instance in series.instances {
      if let start, let moment = instance.instance.map({ zones.moment($0, like: start) }) {
        if !instance.differs(from: series.whole, at: moment, start, zones) { continue }
        without.append(moment)
      }
      if !instance.isCancelled { moved.append(instance) }
    }
    if let event = series.whole {
      schedules += try seriesSchedules(event, start, without, &ignored)
    }
    for event in moved.sorted(by: Self.isLater) {
      schedules += try instanceSchedules(event, start, &ignored)
    }
    return schedules
  }

  /// Returns the schedules of the series.
  private mutating func seriesSchedules(
    _ event: CalendarEvent, _ start: CalendarTime?, _ without: [Recurrence.Moment],
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) throws -> [Schedule] {
    let recurs = !event.rules.isEmpty || !event.additions.isEmpty
    if event.isCompleted, let schedule = try completedSchedule(of: event, start, recurs, &ignored) {
      return [schedule]
    }
    guard let start else { return try alarmSchedules(of: event, nil, named: "", &ignored) }
    if !recurs, without.contains(start.moment) { return [] }
    let base =
      recurs
      ? try CalendarBase(event, from: start, without: without, zones)
      : try CalendarBase(once: start, minutes: event.minutes, line: event.line)
    return try alarmSchedules(of: event, base, named: "", &ignored)
  }

  /// Returns the schedules of an instance, which occurs once on its own date.
  private mutating func instanceSchedules(
    _ event: CalendarEvent, _ start: CalendarTime?,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) throws -> [Schedule] {
    guard let own = event.start, let moment = event.instance?.moment else { return [] }
    let instance = zones.convert(own, to: start?.zone ?? zones.standard)
    if event.isCompleted { addDate(instance.moment.date, line: event.line, &ignored) }
    let base = try CalendarBase(once: instance, minutes: event.minutes, line: event.line)
    var schedules = try alarmSchedules(of: event, base, named: "\(moment.dateTime) ", &ignored)
    if let whole = series.whole, whole.title != event.title, !event.title.isEmpty {
      for index in schedules.indices {
        schedules[index].content.title = event.title.cut(toBytes: 200)
      }
    }
    return schedules
  }

  /// Returns the schedules of an event's alarms, and a silent schedule if it has no alarm.
  private func alarmSchedules(
    of event: CalendarEvent, _ base: CalendarBase?, named name: String,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) throws -> [Schedule] {
    var schedules: [Schedule] = []
    for alarm in event.alarms {
      do {
        let id = ScheduleID.imported(of: habit.id, named: name + "\(schedules.count)")
        var schedule = try schedule(id, alarm, of: event, base)
        schedule.revision = revision(of: event)
        schedule.content.body = alarm.body
        schedule.content.sound = alarm.sound
        if event.isToDo { (schedule.unless, schedule.stopAfterDays) = (.done, 0) }
        // Two alarms at the same time fire once.
        guard !schedules.contains(where: { $0.rule == schedule.rule && $0.times == schedule.times })
        else {
          continue
        }
        schedules.append(schedule)
      } catch let loss as CalendarLoss {
        ignored.add(loss.reason, at: loss.place)
      }
    }
    guard let base else { return schedules }
    // A place, or an alarm at a fixed instant, does not determine the dates of a series.
    let tellsDates = schedules.contains { $0.rule.hasDates(of: base.rule) }
    guard schedules.isEmpty || base.origin != nil && !tellsDates else { return schedules }
    let id = ScheduleID.imported(of: habit.id, named: name + "\(schedules.count)")
    return schedules + [try silentSchedule(id, of: event, base)]
  }

  private func silentSchedule(
    _ id: ScheduleID, of event: CalendarEvent, _ base: CalendarBase
  ) throws -> Schedule {
    var schedule = try base.silentSchedule(id)
    schedule.revision = revision(of: event)
    return schedule
  }

  private func revision(of event: CalendarEvent) -> CalendarRevision {
    var revision = event.revision
    (revision.content, revision.digest) = (content, digest)
    return revision
  }

  private func schedule(
    _ id: ScheduleID, _ alarm: CalendarAlarm, of event: CalendarEvent, _ base: CalendarBase?
  ) throws -> Schedule {
    let line = event.line
    switch alarm.trigger {
    case .place(let region): return Schedule(id: id, rule: .place(region), times: [])
    case .at(let written):
      var zone = zones.standard ?? "UTC"
      if case .fixed(let name)? = base?.zone { zone = name }
      let time = zones.convert(written, to: zone)
      // The alarm of a recurring to-do is that of its first date; each other date gets one with the
      // same offset.
      if event.isToDo, let base, let origin = base.origin {
        let seconds = time.moment.dateTime.seconds(since: origin)
        guard abs(seconds) <= Limit.seconds.upperBound else {
          throw CalendarLoss(.alarms, line, "an alarm \(seconds) s from its to-do")
        }
        return try base.schedule(id, alarm, seconds, from: .start, line: line)
      }
      let once = try CalendarBase(once: time, minutes: 0, line: line)
      return try once.schedule(id, alarm, 0, from: .start, line: line)
    case .relative(let seconds, let edge):
      guard let base else {
        throw CalendarLoss(.alarms, line, "an alarm relative to a missing date")
      }
      return try base.schedule(id, alarm, seconds, from: edge, line: line)
    }
  }

  // MARK: - Parts

  /// Returns a silent schedule for a to-do that occurred once and is done, on the date on which it
  /// was done.
  private mutating func completedSchedule(
    of event: CalendarEvent, _ start: CalendarTime?, _ recurs: Bool,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) throws -> Schedule? {
    let completed = event.completed.map { zones.convert($0, to: start?.zone ?? zones.standard) }
    guard let time = completed ?? start else {
      ignored.add(.values, at: "line \(event.line): done, but without a date")
      return nil
    }
    addDate(time.moment.date, line: event.line, &ignored)
    guard !recurs else { return nil }
    let date = CalendarTime(.date(time.moment.date), zone: nil)
    let base = try CalendarBase(once: date, minutes: 0, line: event.line)
    return try silentSchedule(.imported(of: habit.id, named: "0"), of: event, base)
  }

  private mutating func addDate(
    _ date: CivilDate, line: Int, _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) {
    guard CivilDate.accepted.contains(date) else {
      return ignored.add(.dates, at: "line \(line): done on \(date)")
    }
    dates.append(date)
  }

  /// Returns the start of an event, in the calendar's zone if it occurs once in UTC, as Google
  /// writes it.
  private func local(_ start: CalendarTime, of event: CalendarEvent?) -> CalendarTime {
    guard start.zone == "UTC", event?.rules.isEmpty ?? true, event?.additions.isEmpty ?? true else {
      return start
    }
    return zones.convert(start, to: zones.standard)
  }

  private static func isLater(_ left: CalendarEvent, _ right: CalendarEvent) -> Bool {
    guard let first = left.start?.moment, let second = right.start?.moment else { return false }
    return (first, left.line) > (second, right.line)
  }
}

extension CalendarEvent {
  /// Whether an instance differs in any way from its series at that moment.
  fileprivate func differs(
    from series: CalendarEvent?, at moment: Recurrence.Moment, _ start: CalendarTime,
    _ zones: CalendarZones
  ) -> Bool {
    guard let series, !isCancelled, !isCompleted, let own = self.start else { return true }
    return zones.moment(own, like: start) != moment || own.isDate != start.isDate
      || title != series.title || minutes != series.minutes || Set(alarms) != Set(series.alarms)
  }
}

extension CivilDateTime {
  /// Returns the seconds since another time in the same zone, assuming days of 24 hours.
  fileprivate func seconds(since start: CivilDateTime) -> Int {
    (start.date.days(to: date) * 1_440 + Int(time.minute) - Int(start.time.minute)) * 60
  }
}

extension Schedule.Rule {
  /// Whether the rule has the dates of another rule: it is that rule, or relative to it.
  fileprivate func hasDates(of rule: Schedule.Rule) -> Bool {
    if case .relative(let relative) = self { return relative.base == rule }
    return self == rule
  }
}

extension Schedule {
  /// Whether the schedule ever fires.
  fileprivate var reminds: Bool {
    switch rule {
    case .recurrence(let recurrence): !recurrence.isDateOnly || !times.isEmpty
    case .relative, .place, .interval: true
    case .once, .weekly, .everyDays, .unknown: !times.isEmpty
    }
  }
}
