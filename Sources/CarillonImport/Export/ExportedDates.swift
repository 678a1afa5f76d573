import Carillon
import CarillonModel
import Foundation

/// The dates of one event of a calendar, as a recurrence that other apps read alike.
///
/// It starts at its first instance, since a start that does not match its rule counts for some apps
/// and not for others. It ends with UNTIL in UTC if it is in a zone, as RFC 5545 requires.
struct ExportedDates {
  /// The first and last date of the habit.
  private let start, end: CivilDate?
  /// The time at which a day begins.
  private let dayStart: TimeOfDay
  /// The date from which a rule without a start is written.
  private let today: CivilDate
  private let suppressed: SuppressedDates

  init(of habit: Habit, dayStart: TimeOfDay, today: CivilDate, without suppressed: SuppressedDates)
  {
    start = habit.start
    end = [habit.end, suppressed.last].compactMap(\.self).min()
    (self.dayStart, self.today, self.suppressed) = (dayStart, today, suppressed)
  }

  /// The greatest number of instances that one event leaves out, which keeps a recurrence within
  /// its limits.
  static let maxLeftOut = 300

  private static let lastMinute: TimeOfDay = "23:59"

  /// Returns the dates of a rule at a time without the suppressed ones, or nil if there are none.
  ///
  /// At most ``maxLeftOut`` instances are left out.
  ///
  /// - Parameters:
  ///   - rule: A rule that names dates, by at most one rule of a recurrence.
  ///   - time: The time; nil for whole dates, and for a recurrence with times of its own.
  ///   - zone: The zone of the civil time; nil for the device's.
  /// - Throws: `invalidValue` if there are too many dates.
  func dates(
    of rule: Schedule.Rule, at time: TimeOfDay?, in zone: String?
  ) throws(ModelError) -> Recurrence? {
    let from = start ?? today
    switch rule {
    case .once(let date): return try series(moment(date, time), zone, nil)
    case .weekly(let days):
      guard
        let start = (0..<7).map({ from.adding(days: $0) }).first(where: {
          days.contains($0.weekday)
        })
      else { return nil }
      let names = days.sorted().map { $0.abbreviation.prefix(2).uppercased() }
      let text =
        names.count == 7 ? "FREQ=DAILY" : "FREQ=WEEKLY;BYDAY=" + names.joined(separator: ",")
      return try series(moment(start, time), zone, text)
    case .everyDays(let days, let anchor):
      return try series(moment(anchor, time), zone, "FREQ=DAILY;INTERVAL=\(days)")
    case .recurrence(let recurrence):
      let asTimed = { (moment: Recurrence.Moment) in
        recurrence.isDateOnly ? self.moment(moment.date, time) : moment
      }
      return try series(
        asTimed(recurrence.start), zone, recurrence.rules.first?.description,
        additions: recurrence.additions.map(asTimed),
        exceptions: recurrence.exceptions.flatMap { exception in
          guard exception.isDateOnly, !recurrence.isDateOnly else { return [asTimed(exception)] }
          return recurrence.times.map { self.moment(exception.date, $0) }
        })
    case .interval, .relative, .place, .unknown: return nil
    }
  }

  // MARK: - Parts

  private func moment(_ date: CivilDate, _ time: TimeOfDay?) -> Recurrence.Moment {
    time.map { .dateTime(CivilDateTime(date: date, time: $0)) } ?? .date(date)
  }

  /// Returns the first and the last minute that counts: days begin at the store's day start, but
  /// whole dates at 00:00.
  private func bounds(isDateOnly: Bool) -> (first: CivilDateTime?, last: CivilDateTime?) {
    let dayStart = isDateOnly ? .midnight : dayStart
    return (
      start.map { CivilDateTime(date: $0, time: dayStart) },
      end.map { end in
        guard let minute = TimeOfDay(minute: Int(dayStart.minute) - 1) else {
          return CivilDateTime(date: end, time: Self.lastMinute)
        }
        return CivilDateTime(date: end.adding(days: 1), time: minute)
      }
    )
  }

  private func series(
    _ start: Recurrence.Moment, _ zone: String?, _ text: String?,
    additions: [Recurrence.Moment] = [], exceptions: [Recurrence.Moment] = []
  ) throws(ModelError) -> Recurrence? {
    var added = Set((text == nil ? [start] : []) + additions)
      .filter { isInside($0) && !suppressed.contains(due($0)) }.sorted()
    let zone = start.isDateOnly ? nil : zone
    var rule: (start: Recurrence.Moment, text: String)?
    if let text { rule = try limited(text, start, zone) }
    guard let first = rule?.start ?? added.first else { return nil }
    if rule == nil { added.removeFirst() }
    func recurrence(
      without exceptions: [Recurrence.Moment]
    ) throws(ModelError) -> Recurrence {
      try Recurrence(
        start: first, zone: zone, ruleTexts: [rule?.text].compactMap(\.self),
        excludedRuleTexts: [], additions: added, exceptions: exceptions)
    }
    let all = try recurrence(without: exceptions)
    let leftOut = instances(of: all, dueIn: suppressed.ranges).prefix(Self.maxLeftOut)
    guard !leftOut.isEmpty else { return all }
    let rest = try recurrence(without: exceptions + leftOut)
    // A start that is also an exception would be shown by some apps if nothing else is left.
    var instances = rest.instances(from: first.dateTime)
    return instances.next() == nil ? nil : rest
  }

  /// Whether a series has more suppressed instances than are left out.
  func leavesTooMany(of dates: Recurrence) -> Bool {
    instances(of: dates, dueIn: suppressed.ranges).first != nil
  }

  /// Returns the instances that are due on some dates, one more than are left out at most.
  private func instances(
    of dates: Recurrence, dueIn ranges: [ClosedRange<CivilDate>]
  ) -> [Recurrence.Moment] {
    let isDateOnly = dates.isDateOnly
    var found: [Recurrence.Moment] = []
    for range in ranges {
      let from = CivilDateTime(date: range.lowerBound, time: isDateOnly ? .midnight : dayStart)
      let instances = dates.instances(from: from, through: range.upperBound.adding(days: 1))
      for instance in instances {
        let moment: Recurrence.Moment =
          isDateOnly ? .date(instance.date) : .dateTime(instance)
        guard due(moment) <= range.upperBound, found.count <= Self.maxLeftOut else { break }
        found.append(moment)
      }
    }
    return found
  }

  /// Returns the date for which an instance counts.
  private func due(_ moment: Recurrence.Moment) -> CivilDate {
    !moment.isDateOnly && moment.dateTime.time < dayStart
      ? moment.date.adding(days: -1) : moment.date
  }

  /// Returns a rule with its first instance inside the bounds as its start, and with its end inside
  /// the bounds; nil if no instance is inside.
  private func limited(
    _ text: String, _ start: Recurrence.Moment, _ zone: String?
  ) throws(ModelError) -> (start: Recurrence.Moment, text: String)? {
    var parts = text.split(separator: ";").map(String.init)
    let end = parts.firstIndex { $0.hasPrefix("UNTIL=") || $0.hasPrefix("COUNT=") }
    let written = end.map { parts.remove(at: $0) }
    let endless = parts.joined(separator: ";")
    let bounds = bounds(isDateOnly: start.isDateOnly)
    var last = bounds.last
    var count: Int?
    if let written, let number = Int(digits: written.dropFirst(6)), written.hasPrefix("COUNT=") {
      count = number
    } else if let written, let until = RecurrenceDate(written.dropFirst(6)) {
      let moment = CivilDateTime(date: until.date, time: until.time ?? Self.lastMinute)
      let local = until.isUTC ? Self.calendar(zone).map { civil(moment, in: $0) } ?? moment : moment
      last = min(last ?? local, local)
    }
    let all = try Recurrence(
      start: start, zone: zone, ruleTexts: [endless], excludedRuleTexts: [], additions: [],
      exceptions: [])
    var instances = all.instances(from: start.dateTime)
    guard var first = instances.next() else { return nil }
    let isCut = bounds.first.map { first < $0 } ?? false || last != nil
    if isCut, let number = count {
      var nth = first
      for _ in 1..<max(number, 1) { nth = instances.next() ?? nth }
      last = min(last ?? nth, nth)
      count = nil
    }
    if let bound = bounds.first, first < bound {
      var rest = all.instances(from: bound)
      guard let next = rest.next() else { return nil }
      first = next
    }
    if let last, first > last { return nil }
    let limit = count.map { "COUNT=\($0)" } ?? last.map { until($0, start, zone) }
    return (
      start.isDateOnly ? .date(first.date) : .dateTime(first),
      ([endless] + [limit].compactMap(\.self)).joined(separator: ";")
    )
  }

  /// The text of UNTIL: a date for dates, UTC for a time in a zone, otherwise civil time.
  private func until(
    _ last: CivilDateTime, _ start: Recurrence.Moment, _ zone: String?
  ) -> String {
    if start.isDateOnly { return "UNTIL=\(last.date.calendarDigits)" }
    guard let instant = Self.calendar(zone)?.instant(of: last) else {
      return "UNTIL=\(last.calendarDigits)"
    }
    return "UNTIL=\(CivilCalendar(zone: .gmt).dateTime(at: instant).calendarDigits)Z"
  }

  private func civil(_ moment: CivilDateTime, in calendar: CivilCalendar) -> CivilDateTime {
    CivilCalendar(zone: .gmt).instant(of: moment).map(calendar.dateTime(at:)) ?? moment
  }

  private static func calendar(_ zone: String?) -> CivilCalendar? {
    zone.flatMap(TimeZone.init(identifier:)).map(CivilCalendar.init(zone:))
  }

  private func isInside(_ moment: Recurrence.Moment) -> Bool {
    let bounds = bounds(isDateOnly: moment.isDateOnly)
    let (first, last) = (bounds.first ?? moment.dateTime, bounds.last ?? moment.dateTime)
    return first <= moment.dateTime && moment.dateTime <= last
  }
}

extension Recurrence.Moment {
  /// Whether the moment is a whole date.
  var isDateOnly: Bool {
    if case .date = self { true } else { false }
  }
}

extension CivilDate {
  /// The date as `YYYYMMDD`.
  var calendarDigits: String { description.filter { $0 != "-" } }
}

extension CivilDateTime {
  /// The date and time as `YYYYMMDDTHHMM00`.
  var calendarDigits: String {
    "\(date.calendarDigits)T\(time.description.filter { $0 != ":" })00"
  }
}
