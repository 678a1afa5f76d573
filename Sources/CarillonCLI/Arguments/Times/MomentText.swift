import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// A date and optionally a time: `tomorrow`, `2026-12-24`, `2026-12-24T18:00` or `fri 7pm`.
struct DateTimeText: ArgumentValue {
  let date: DateText
  let time: TimeOfDay?

  static let form =
    "a date and time, such as \"tomorrow 7pm\" or 2026-12-24T18:00; see carillon help times"

  init(argument: String) throws(ArgumentProblem) {
    if let date = try? DateText(argument: argument) {
      (self.date, time) = (date, nil)
      return
    }
    guard argument.utf8.count <= 60 else {
      throw ArgumentProblem("a text of \(argument.utf8.count) bytes is not a date and time")
    }
    var problem: ArgumentProblem?
    for split in argument.indices where " Tt".contains(argument[split]) {
      let (before, after) = (String(argument[..<split]), argument[split...].dropFirst())
      guard let date = Self.date(before.trimmed, &problem) else { continue }
      let word = String(after).trimmed
      self.date = date
      time = try TimeOfDay(argument: word.hasPrefix("at ") ? String(word.dropFirst(3)) : word)
      return
    }
    throw problem ?? ArgumentProblem("\"\(argument)\" is not a calendar date")
  }

  /// Parses a date, and keeps the first problem of one that begins with a digit.
  private static func date(_ text: String, _ problem: inout ArgumentProblem?) -> DateText? {
    do throws(ArgumentProblem) {
      return try DateText(argument: text)
    } catch {
      if problem == nil, text.first?.isNumber == true { problem = error }
      return nil
    }
  }
}

/// A moment: `2026-11-23T17:00:00Z`, with an offset, or a civil date and time, or a time today.
///
/// Without an offset it is civil time in a zone: of a repeated hour the first one, as the planner
/// takes it. Seconds and their fraction are optional.
struct InstantText: ArgumentValue {
  fileprivate enum Form {
    case instant(Instant)
    /// A date and time, with milliseconds within its minute.
    case civil(CivilDateTime, milliseconds: Int64)
    /// Without a date it is today's.
    case spoken(DateText?, TimeOfDay)
  }

  fileprivate let form: Form

  static let form =
    "a time, such as 2026-11-23T17:00, 2026-11-23T17:00:00+01:00 or \"yesterday 7pm\"; see "
    + "carillon help times"

  init(argument: String) throws(ArgumentProblem) {
    if let form = Self.exact(argument) {
      self.form = form
    } else if let time = try? TimeOfDay(argument: argument) {
      form = .spoken(nil, time)
    } else if let both = try? DateTimeText(argument: argument), let time = both.time {
      form = .spoken(both.date, time)
    } else {
      throw ArgumentProblem("\"\(argument)\" is not a date with a time")
    }
  }

  /// Parses ISO 8601, with or without an offset; nil for another form.
  private static func exact(_ text: String) -> Form? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let time = parts.last ?? ""
    let clock = time.prefix { !"Z+-".contains($0) }
    let zone = time[clock.endIndex...]
    let seconds = clock.utf8.count == 5 ? ":00" : ""
    guard parts.count == 2,
      let instant = Instant(rfc3339: "\(parts[0])T\(clock)\(seconds)\(zone.isEmpty ? "Z" : zone)")
    else { return nil }
    guard zone.isEmpty else { return .instant(instant) }
    let (date, milliseconds) = instant.civil(offsetSeconds: 0)
    guard let minute = TimeOfDay(minute: milliseconds / 60_000) else { return nil }
    return .civil(
      CivilDateTime(date: date, time: minute), milliseconds: Int64(milliseconds % 60_000))
  }

  /// Whether the text has a date, and not a time alone.
  var namesDate: Bool {
    if case .spoken(nil, _) = form { false } else { true }
  }

  /// Returns the instant.
  ///
  /// - Parameters:
  ///   - direction: Where to search for a weekday.
  ///   - today: The current date, which only a spoken moment needs.
  ///   - date: The date of a time that is given alone (default: today).
  func resolved(
    in zone: TimeZone, _ direction: DateText.Direction, today: @autoclosure () -> CivilDate,
    alone date: CivilDate? = nil
  ) -> ResolvedMoment {
    switch form {
    case .instant(let instant): ResolvedMoment(instant: instant, zone: zone, asked: nil)
    case .civil(let moment, let milliseconds):
      ResolvedMoment(moment, plus: milliseconds, in: zone)
    case .spoken(let named, let time):
      ResolvedMoment(
        CivilDateTime(date: named?.date(direction, today: today()) ?? date ?? today(), time: time),
        plus: 0, in: zone)
    }
  }
}

extension InstantText {
  /// Returns the first instant after `now` at which the clocks show the time.
  ///
  /// A time without an offset that the clocks repeat is the second one if the first is past. A time
  /// alone is tomorrow's if it no longer comes today. Any other past time is returned as it is.
  func next(in zone: TimeZone, after now: Instant) -> ResolvedMoment {
    let calendar = CivilCalendar(zone: zone)
    let today = calendar.dateTime(at: now).date
    let moment = resolved(in: zone, .future, today: today)
    guard moment.instant <= now else { return moment }
    if moment.asked != nil, let second = calendar.repetition(of: moment.instant), second > now {
      return ResolvedMoment(instant: second, zone: zone, asked: moment.asked)
    }
    return namesDate
      ? moment : resolved(in: zone, .future, today: today, alone: today.adding(days: 1))
  }

  /// Returns the instant as the clock of a call.
  ///
  /// It must be in the range that can be planned. Verbs that write accept a smaller range, which
  /// they check themselves.
  ///
  /// - Parameter now: The system's clock.
  /// - Throws: A usage error if it is out of range.
  func clock(in zone: TimeZone, _ now: Instant) throws(CommandFailure) -> ResolvedMoment {
    // Foundation's calendar takes longer to create than all else before a kept plan is read.
    let moment = resolved(
      in: zone, .future, today: CivilCalendar(zone: zone).dateTime(at: now).date)
    let planned = CivilCalendar.instants
    guard planned.contains(moment.instant) else {
      throw .badValue(
        "--now: \(moment.instant.rfc3339()) is out of range; "
          + "\(planned.lowerBound.rfc3339()) to \(planned.upperBound.rfc3339()) is allowed, and "
          + "1970-01-01 to 2200-12-31 to write",
        hint: "give \(Self.form)")
    }
    return moment
  }
}

/// An instant that a person gave, possibly as a civil time that the zone skips or repeats.
struct ResolvedMoment: Sendable {
  let instant: Instant
  fileprivate let zone: TimeZone
  /// The civil time that was given, if the zone skips or repeats it.
  fileprivate let asked: CivilDateTime?

  init(instant: Instant, zone: TimeZone, asked: CivilDateTime?) {
    (self.instant, self.zone, self.asked) = (instant, zone, asked)
  }

  init(_ moment: CivilDateTime, plus milliseconds: Int64 = 0, in zone: TimeZone) {
    let calendar = CivilCalendar(zone: zone)
    let utc = Int64(moment.date.rawValue) * 86_400_000 + Int64(moment.time.minute) * 60_000
    let isSupported = CivilCalendar.instants.contains(Instant(milliseconds: utc))
    let start =
      isSupported
      ? calendar.instant(of: moment) ?? calendar.firstInstant(of: moment.date)
      : Instant(milliseconds: utc)
    let isRepeated = calendar.repetition(of: start) != nil
    let isOnce = !isSupported || calendar.dateTime(at: start) == moment && !isRepeated
    self.init(
      instant: Instant(milliseconds: start.milliseconds + milliseconds), zone: zone,
      asked: isOnce ? nil : moment)
  }

  /// The warning that the clocks skip or repeat the given time, with the time that is used, or nil.
  func warning(for option: String) -> String? {
    guard let asked else { return nil }
    let calendar = CivilCalendar(zone: zone)
    let used = calendar.dateTime(at: instant)
    let place = "\(asked.time) on \(asked.date) in \(zone.identifier)"
    guard used != asked else {
      let which = calendar.repetition(of: instant) == nil ? "second" : "first"
      return "\(option): the clocks repeat \(place); the \(which) of both times is used"
    }
    let day = used.date == asked.date ? "\(used.time)" : "\(used.date) \(used.time)"
    return "\(option): the clocks skip \(place); \(day) is used"
  }
}

extension CivilCalendar {
  /// Returns when the civil time at an instant comes once more, since the clocks are set back
  /// within a day; nil if it does not.
  fileprivate func repetition(of instant: Instant) -> Instant? {
    let nextDay = Instant(milliseconds: instant.milliseconds + 86_400_000)
    let back = offsetSeconds(at: instant) - offsetSeconds(at: nextDay)
    guard back > 0 else { return nil }
    let second = Instant(milliseconds: instant.milliseconds + Int64(back) * 1_000)
    return dateTime(at: second) == dateTime(at: instant) ? second : nil
  }
}

/// The date of `--once`, and its time if it has one.
struct OnceText: ArgumentValue {
  private enum Form {
    case date(DateText)
    case moment(InstantText)
  }

  private let form: Form

  static let form = DateTimeText.form

  init(argument: String) throws(ArgumentProblem) {
    if let date = try? DateText(argument: argument) {
      form = .date(date)
    } else if let moment = try? InstantText(argument: argument) {
      form = .moment(moment)
    } else {
      form = .date(try DateTimeText(argument: argument).date)
    }
  }

  /// Whether the text has a time.
  var hasTime: Bool {
    if case .moment = form { true } else { false }
  }

  /// Returns the date and the time in a zone; no time if the text has none.
  ///
  /// - Throws: A usage error for a time with seconds, or with the offset of the second of two equal
  ///   times, since a schedule fires at the first.
  func resolved(
    in zone: TimeZone, _ frame: ScheduleFrame
  ) throws(CommandFailure) -> (date: CivilDate, time: TimeOfDay?) {
    switch form {
    case .date(let date): return (date.date(.future, today: frame.today), nil)
    case .moment(let text):
      let calendar = CivilCalendar(zone: zone)
      let moment = try text.civil(calendar, frame)
      return (moment.date, moment.time)
    }
  }
}

extension InstantText {
  /// Returns the date and time of a reminder in a zone.
  ///
  /// - Throws: A usage error if no schedule can fire then.
  fileprivate func civil(
    _ calendar: CivilCalendar, _ frame: ScheduleFrame
  ) throws(CommandFailure) -> CivilDateTime {
    let instant: Instant
    switch form {
    case .spoken(let date, let time):
      let today = calendar.dateTime(at: frame.now).date
      return CivilDateTime(
        date: date?.date(.future, today: frame.today) ?? today, time: time)
    case .civil(let moment, milliseconds: 0): return moment
    case .instant(let given) where given.milliseconds.isMultiple(of: 60_000): instant = given
    case .civil, .instant:
      throw .badValue(
        "--once: a reminder fires at a whole minute", hint: "give a time without seconds")
    }
    let moment = calendar.dateTime(at: instant)
    guard calendar.instant(of: moment) == instant else {
      let exact = CivilCalendar(zone: .gmt).dateTime(at: instant)
      throw .badValue(
        "--once: the clocks repeat \(moment.time) on \(moment.date), and a schedule fires at the "
          + "first of both times",
        hint: "give the time in UTC: --once \(exact) --fixed-zone UTC")
    }
    return moment
  }
}
