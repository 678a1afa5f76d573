package import Carillon
package import CarillonModel
import Foundation

/// The reminders of habits as an iCalendar file.
///
/// Each schedule becomes an event for each of its times, with an alarm. A schedule without times
/// becomes an event of whole dates without one. The event's UID derives from the schedule and the
/// time, so that a calendar that imports a later export changes its events. The events of a habit
/// name the same sibling, by which an import joins them. By both, the store recognizes its own
/// events.
///
/// Skipped dates and those of a pause are left out. A calendar has no pause without an end, so that
/// an event then ends before the pause.
package struct CalendarExport: Sendable {
  /// The file's text, with lines that end in CRLF.
  package let text: String
  /// What was written, and what has no place in a calendar.
  package let report: ExportReport

  /// Writes habits.
  ///
  /// - Parameters:
  ///   - habits: The habits; archived and deleted ones are left out.
  ///   - state: The state with the pauses, and with the days whose skips are left out.
  ///   - dayStart: The time at which a day begins, for the first and last date of a habit.
  ///   - now: The time of the export.
  ///   - today: The date from which weekly schedules without a first date are written.
  package init(
    _ habits: [Habit], in state: StoreState, dayStart: TimeOfDay, now: Instant, today: CivilDate
  ) {
    var writer = Writer(state: state, dayStart: dayStart, now: now, today: today)
    for habit in habits { writer.add(habit) }
    (text, report) = writer.finished()
  }

  private static let domain = "@carillon"

  /// Returns the ID of the schedule or the habit in the UID of an exported event or of its sibling;
  /// nil if the UID is that of another app.
  static func id(in uid: String?) -> String? {
    guard let uid, uid.hasSuffix(domain) else { return nil }
    return String(uid.dropLast(domain.count).prefix(36))
  }
}

extension Store {
  /// Writes the reminders of all habits that are neither archived nor deleted as an iCalendar file.
  package func exportCalendar() async throws -> CalendarExport {
    try await query { reader in
      try CalendarExport(
        reader.habits(includingArchived: true),
        in: reader.state(range: reader.today.adding(days: -366)...CivilDate.accepted.upperBound),
        dayStart: reader.settings.dayStart, now: reader.now, today: reader.today)
    }
  }
}

extension CalendarExport {
  /// Collects the events and their zones.
  private struct Writer {
    let state: StoreState
    let dayStart: TimeOfDay
    let now: Instant
    let today: CivilDate
    var events = CalendarLines()
    var report = ExportReport()
    /// The earliest date of each zone.
    var zones: [String: CivilDate] = [:]

    init(state: StoreState, dayStart: TimeOfDay, now: Instant, today: CivilDate) {
      (self.state, self.dayStart, self.now, self.today) = (state, dayStart, now, today)
    }

    func finished() -> (String, ExportReport) {
      var lines = CalendarLines()
      lines.add("BEGIN:VCALENDAR")
      lines.add("VERSION:2.0")
      lines.add("PRODID:-//Carillon//Carillon//EN")
      lines.add("CALSCALE:GREGORIAN")
      for (name, first) in zones.sorted(by: { $0.key < $1.key }) {
        // The years before last year have no reminder that still comes.
        CalendarZone(name, from: max(first, today.adding(days: -366)))?.write(to: &lines)
      }
      return (lines.text + events.text + "END:VCALENDAR\r\n", report)
    }

    mutating func add(_ habit: Habit) {
      guard !habit.isArchived, !habit.isDeleted else { return report.lose(.habits, of: habit) }
      let before = events.text.utf8.count
      let suppressed = SuppressedDates(of: habit, in: state, today: today)
      if suppressed.last != nil { report.lose(.pauses, of: habit) }
      for schedule in habit.schedules { add(schedule, of: habit, without: suppressed) }
      guard events.text.utf8.count > before else { return }
      report.habits += 1
      if habit.kind == .count || habit.goal != nil { report.lose(.targets, of: habit) }
      if habit.owner != .phoneFirst { report.lose(.owners, of: habit) }
    }

    private mutating func add(
      _ schedule: Schedule, of habit: Habit, without suppressed: SuppressedDates
    ) {
      var (rule, alarm) = (schedule.rule, Alarm())
      if case .relative(let relative) = rule { (rule, alarm) = (relative.base, Alarm(relative)) }
      let zone: String? = if case .fixed(let name) = schedule.civilZone { name } else { nil }
      guard rule.namesDates, zone.map({ TimeZone(identifier: $0) != nil }) ?? true else {
        return report.lose(Self.reason(rule), of: habit, schedule.id)
      }
      if case .recurrence(let recurrence) = rule,
        recurrence.rules.count > 1 || !recurrence.excludedRules.isEmpty
      {
        return report.lose(.rules, of: habit, schedule.id)
      }
      let dates = ExportedDates(
        of: habit, dayStart: dayStart, today: today, without: suppressed)
      var isWritten = false
      do throws(ModelError) {
        let times = schedule.times.map(Optional.some)
        for time in times.isEmpty ? [nil] : times {
          guard let series = try dates.dates(of: rule, at: time, in: zone) else { continue }
          write(series, alarm, schedule, of: habit, at: time)
          isWritten = true
          if dates.leavesTooMany(of: series) { report.lose(.skips, of: habit, schedule.id) }
        }
      } catch {
        return report.lose(.dates, of: habit, schedule.id)
      }
      let isConditional = !schedule.unless.isEmpty || schedule.doneWithin != nil
      if isWritten, isConditional { report.lose(.conditions, of: habit, schedule.id) }
      if isWritten, schedule.hasOwnSettings { report.lose(.settings, of: habit, schedule.id) }
    }

    private static func reason(_ rule: Schedule.Rule) -> ExportReport.Reason {
      switch rule {
      case .place: .places
      case .interval: .intervals
      case .once, .weekly, .everyDays, .recurrence, .relative, .unknown: .unknown
      }
    }

    private mutating func write(
      _ dates: Recurrence, _ alarm: Alarm, _ schedule: Schedule, of habit: Habit,
      at time: TimeOfDay?
    ) {
      if let zone = dates.zone, zone != "UTC" {
        zones[zone] = min(zones[zone] ?? dates.start.date, dates.start.date)
      }
      let title = schedule.content.title ?? habit.title
      let suffix = time.map { "-" + $0.description.filter { $0 != ":" } } ?? ""
      events.add("BEGIN:VEVENT")
      events.add("UID:\(schedule.id)\(suffix)\(CalendarExport.domain)")
      // An event of another title is imported as a habit of its own.
      if schedule.content.title == nil {
        events.add("RELATED-TO;RELTYPE=SIBLING:\(habit.id)\(CalendarExport.domain)")
      }
      let stamp = CivilCalendar(zone: .gmt).dateTime(at: now)
      events.add("DTSTAMP:\(stamp.calendarDigits)Z")
      events.add("SUMMARY", text: title)
      events.add("DESCRIPTION", text: habit.notes)
      events.add("CATEGORIES", text: habit.group)
      for line in dates.description.split(separator: "\n") { events.add(String(line)) }
      if alarm.minutes > 0 { events.add("DURATION:PT\(alarm.minutes)M") }
      // The person is not busy at the time of a reminder.
      events.add("TRANSP:TRANSPARENT")
      if !dates.isDateOnly {
        alarm.write(schedule.content.body ?? habit.question ?? title, to: &events)
        report.reminders += 1
      }
      events.add("END:VEVENT")
    }
  }

  /// The alarm of an event: at its start, or relative to its start or end.
  private struct Alarm {
    var seconds = 0
    var edge = Schedule.Relative.Edge.start
    var minutes = 0
    var repeatCount = 0
    var repeatSeconds = 0

    init() {}

    init(_ relative: Schedule.Relative) {
      seconds = relative.offsetSeconds
      // An event without a duration ends when it starts.
      edge = relative.durationMinutes > 0 ? relative.edge : .start
      minutes = relative.durationMinutes
      repeatCount = relative.repeatCount
      repeatSeconds = relative.repeatSeconds
    }

    func write(_ text: String, to lines: inout CalendarLines) {
      lines.add("BEGIN:VALARM")
      lines.add("ACTION:DISPLAY")
      lines.add("DESCRIPTION", text: text)
      lines.add("TRIGGER\(edge == .end ? ";RELATED=END" : ""):\(Self.duration(seconds))")
      if repeatCount > 0 {
        lines.add("REPEAT:\(repeatCount)")
        lines.add("DURATION:\(Self.duration(repeatSeconds))")
      }
      lines.add("END:VALARM")
    }

    /// Returns a duration in hours, minutes and seconds, which are exact: a day may have 23 hours.
    private static func duration(_ seconds: Int) -> String {
      let size = abs(seconds)
      let parts = [(size / 3_600, "H"), (size / 60 % 60, "M"), (size % 60, "S")]
      let text = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
      return (seconds < 0 ? "-" : "") + "PT" + (text.isEmpty ? "0S" : text)
    }
  }
}
