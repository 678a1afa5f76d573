import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// The time and zone of a call, which supply the defaults of rule flags.
struct ScheduleFrame: Sendable {
  /// The logical date of `now`.
  let today: CivilDate
  let now: Instant
  let zone: TimeZone
}

extension Given<DateText> {
  /// Parses a date of what is to come.
  func coming(for name: String, _ today: CivilDate) throws(CommandFailure) -> CivilDate {
    try value(for: name).date(.future, today: today)
  }
}

extension Given<DayInterval> {
  /// Parses a number of days; the hint for a value that another option takes names that option.
  fileprivate func days(for name: String) throws(CommandFailure) -> Int {
    do {
      return try value(for: name).days
    } catch {
      var failure = error
      let given = ShellWord.quoted(text)
      if let duration = try? DurationText(argument: text),
        DurationText.minuteToYear.contains(duration.seconds)
      {
        failure.hint = "for hours and minutes give --interval \(given)"
      } else if (try? WeekdayList(argument: text)) != nil {
        failure.hint = "for weekdays give --on \(given)"
      } else if text.lowercased().contains("month") {
        failure.hint = "for months give --rrule, such as --rrule 'RRULE:FREQ=MONTHLY;BYMONTHDAY=1'"
      } else if text == "none" {
        failure.hint = "to change the dates give --on, --once or another rule instead"
      }
      throw failure
    }
  }
}

extension ScheduleFrame {
  init(_ call: Call, _ store: Store) async throws {
    self.init(today: try await store.today(), now: call.output.time.now, zone: call.zone)
  }
}

/// The flags that set when a schedule reminds.
struct RuleFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Weekdays, ranges of weekdays, weekdays or weekends (default: every day).",
      valueName: "mon-wed,fri"))
  var on: [Given<WeekdayList>] = []

  @Option(
    help: ArgumentHelp(
      "Times of day, such as 7:30 or 5pm; without them there are no reminders.",
      valueName: "07:30,17:00"))
  var at: [Given<TimeList>] = []

  @Option(
    help: ArgumentHelp(
      "Every n-th day or week, counted from --from; 1d to 3650d. With --on, every n-th week on its "
        + "weekdays.", valueName: "3d"))
  var every: Given<DayInterval>?

  @Option(
    help: ArgumentHelp(
      "The date from which --every counts (default: today), or the time from which --interval "
        + "counts (default: the start of --window today, or now), or the first time of "
        + "--after-done.", valueName: "date|time"))
  var from: Given<String>?

  @Option(
    help: ArgumentHelp(
      "Remind once, on a date with its time, or with --at, such as \"tomorrow 7pm\". A time with "
        + "an offset becomes one in the zone of --fixed-zone, or else the device's.",
      valueName: "2026-12-24T18:00"))
  var once: Given<OnceText>?

  @Option(
    help: ArgumentHelp(
      "An RFC 5545 rule: DTSTART, RRULE, EXRULE, RDATE and EXDATE, separated by \\n or line "
        + "breaks. --at sets the times if DTSTART is a date.", valueName: "text"))
  var rrule: Given<String>?

  @Option(
    help: ArgumentHelp(
      "The elapsed time between reminders, 1m to 365d. With --on, at the same times of day on its "
        + "weekdays.", valueName: "4h"))
  var interval: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "Remind once, this long after the habit was last done, 1m to 365d; --from sets the first "
        + "time (default: none until it was done).", valueName: "4h"))
  var afterDone: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "The hours in which --interval fires; the end is not included (default: all day).",
      valueName: "08:00-20:00"))
  var window: Given<DayWindow>?

  @Option(
    help: ArgumentHelp(
      "Remind on entering a circle: latitude and longitude in degrees, and a radius of 1m to "
        + "100000m.", valueName: "52.52,13.405,200m"))
  var place: Given<PlaceText>?

  @Flag(help: "Whether --place reminds on entering or on leaving.")
  var crossing: CrossingFlag?

  @Option(
    help: ArgumentHelp(
      "The time zone of the times, such as Europe/Berlin (default: the device's).",
      valueName: "tzid"))
  var fixedZone: Given<ZoneName>?

  /// Whether any flag was given.
  var isGiven: Bool {
    !ruleNames.isEmpty || !at.isEmpty || from != nil || window != nil || crossing != nil
      || fixedZone != nil
  }

  /// The given flags that set a rule; only one of them is allowed.
  private var ruleNames: [String] {
    [
      ("--on", !on.isEmpty), ("--every", every != nil), ("--once", once != nil),
      ("--rrule", rrule != nil), ("--interval", interval != nil),
      ("--after-done", afterDone != nil), ("--place", place != nil),
    ].filter(\.1).map(\.0)
  }

  /// Applies the given flags to a rule that is not relative to another, and to the schedule's times
  /// and zone.
  func edit(_ rule: inout Schedule.Rule, _ schedule: inout Schedule, _ frame: ScheduleFrame) throws
  {
    try requireOneRule()
    let once = try once.value(for: "--once")?.resolved(in: zone(of: schedule, frame), frame)
    rule = try once.map { .once($0.date) } ?? self.rule(from: rule, frame)
    try requireFitting(rule)
    if let time = once?.time {
      schedule.setTimes([time])
    } else if let times = try timesOfInterval() {
      schedule.setTimes(times)
    } else if rule.hasOwnTimes {
      schedule.setTimes([])
    } else if let first = at.first {
      let isCleared = at.count == 1 && first.text == "none"
      schedule.setTimes(isCleared ? [] : try at.flatMap { try $0.value(for: "--at").times })
    }
    switch try fixedZone.change(for: "--fixed-zone") {
    case .keep: break
    case .clear: schedule.zone = .floating
    case .set(let name): schedule.zone = .fixed(name.name)
    }
  }

  /// The zone of the schedule's times, with --fixed-zone applied.
  private func zone(of schedule: Schedule, _ frame: ScheduleFrame) throws -> TimeZone {
    switch try fixedZone.change(for: "--fixed-zone") {
    case .clear: return frame.zone
    case .set(let name): return name.zone
    case .keep:
      guard case .fixed(let name) = schedule.zone else { return frame.zone }
      return TimeZone(identifier: name) ?? frame.zone
    }
  }

  /// Returns the rule that the flags other than --once describe.
  private func rule(from rule: Schedule.Rule, _ frame: ScheduleFrame) throws -> Schedule.Rule {
    if let text = rrule?.text { return .recurrence(try recurrence(text, frame)) }
    if !on.isEmpty {
      let days = Set(try on.flatMap { try $0.value(for: "--on").days })
      return try recurrence(on: days, frame).map { .recurrence($0) } ?? .weekly(days)
    }
    if let days = try every?.days(for: "--every") {
      return .everyDays(days, from: try fromDate(frame) ?? rule.anchor ?? frame.today)
    }
    let given = try interval?.duration(
      for: "--interval", in: DurationText.minuteToYear, such: "2h")
    if let seconds = given?.seconds {
      var interval =
        try rule.interval ?? Schedule.Interval(seconds: 0, from: defaultStart(frame))
      interval.seconds = seconds
      interval.anchor = nil
      return .interval(try changed(interval, frame))
    }
    let delay = try afterDone?.duration(
      for: "--after-done", in: DurationText.minuteToYear, such: "4h")
    if let seconds = delay?.seconds {
      let known = rule.interval.flatMap { $0.anchor == nil ? nil : $0 }
      var interval =
        known ?? Schedule.Interval(seconds: 0, from: frame.now.startOfMinute, anchor: .entry)
      interval.seconds = seconds
      return .interval(try changed(interval, frame))
    }
    if let circle = try place.value(for: "--place") {
      return .place(circle.region(crossing?.crossing ?? rule.crossing ?? .entry))
    }
    return try changed(rule, frame)
  }

  /// Returns a rule of the same kind with the given flags applied.
  private func changed(_ rule: Schedule.Rule, _ frame: ScheduleFrame) throws -> Schedule.Rule {
    switch rule {
    case .everyDays(let days, let anchor):
      return .everyDays(days, from: try fromDate(frame) ?? anchor)
    case .interval(let interval): return .interval(try changed(interval, frame))
    case .place(var region):
      region.crossing = crossing?.crossing ?? region.crossing
      return .place(region)
    case .once, .weekly, .recurrence, .relative, .unknown: return rule
    }
  }

  private func changed(_ interval: Schedule.Interval, _ frame: ScheduleFrame) throws
    -> Schedule.Interval
  {
    var interval = interval
    if let start = try intervalStart(frame) {
      interval.from = start.instant
      if interval.anchor != nil { interval.anchor = .entryOrFrom }
    }
    try window.change(for: "--window").apply(to: &interval.window)
    return interval
  }

  private func fromDate(_ frame: ScheduleFrame) throws -> CivilDate? {
    try (from?.text).map {
      try Given<DateText>(argument: $0).coming(for: "--from", frame.today)
    }
  }

  /// The moment from which `--interval` counts, or nil if it is not given.
  private func intervalStart(_ frame: ScheduleFrame) throws -> ResolvedMoment? {
    try (from?.text).map {
      try Given<InstantText>(argument: $0).value(for: "--from")
        .resolved(in: frame.zone, .future, today: frame.today)
    }
  }

  /// Returns warnings about given times that the clocks skip.
  func warnings(_ frame: ScheduleFrame) -> [String] {
    guard interval != nil || afterDone != nil, let start = try? intervalStart(frame) else {
      return []
    }
    return [start.warning(for: "--from")].compactMap(\.self)
  }

  /// The latest start of the window that is not after today, or now if no window is given.
  private func defaultStart(_ frame: ScheduleFrame) throws -> Instant {
    guard window?.text != "none", let window = try window.value(for: "--window") else {
      return frame.now.startOfMinute
    }
    let date = window.from < window.to ? frame.today : frame.today.adding(days: -1)
    let start = CivilDateTime(date: date, time: window.from)
    return CivilCalendar(zone: frame.zone).instant(of: start) ?? frame.now.startOfMinute
  }

  /// Returns the times of `--interval` on the weekdays of `--on`, or nil unless both are given.
  private func timesOfInterval() throws -> [TimeOfDay]? {
    guard !on.isEmpty, let interval else { return nil }
    let seconds = try interval.value(for: "--interval").seconds
    let window = try window.value(for: "--window")
    let first = Int(window?.from.minute ?? 0)
    let end = window.map { Int($0.to.minute) } ?? 1_440
    guard seconds.isMultiple(of: 60), first < end || end == 0 else {
      throw CommandFailure.usage(
        seconds.isMultiple(of: 60)
          ? "--window crosses midnight, which it cannot with --on"
          : "--interval with --on must be whole minutes",
        hint: "give one such as --interval 90m --window 09:00-17:00")
    }
    let times = stride(from: first, to: end == 0 ? 1_440 : end, by: seconds / 60)
      .compactMap { TimeOfDay(minute: $0) }
    guard times.count <= Schedule.maxTimes else {
      throw CommandFailure.usage(
        "--interval \(interval.text) has \(times.count) times a day; at most "
          + "\(Schedule.maxTimes) are allowed with --on",
        hint: "give a longer --interval or a shorter --window")
    }
    return times
  }

  /// Returns the recurrence of `--every` weeks on weekdays, or nil if `--every` is not given.
  private func recurrence(on days: Set<Weekday>, _ frame: ScheduleFrame) throws -> Recurrence? {
    guard let count = try every?.days(for: "--every") else { return nil }
    guard count.isMultiple(of: 7) else {
      throw CommandFailure.usage(
        "--every \(every?.text ?? "") is no whole number of weeks, which it must be with --on",
        hint: "give --every 2w, or leave out --on")
    }
    let names = days.sorted { $0.rawValue < $1.rawValue }
      .map { $0.abbreviation.prefix(2).uppercased() }.joined(separator: ",")
    return try Recurrence(
      parsing: "RRULE:FREQ=WEEKLY;INTERVAL=\(count / 7);BYDAY=\(names)",
      start: .date(try fromDate(frame) ?? frame.today))
  }

  private func recurrence(_ text: String, _ frame: ScheduleFrame) throws -> Recurrence {
    let lines = text.replacingOccurrences(of: "\\n", with: "\n")
    do throws(ModelError) {
      let recurrence = try Recurrence(parsing: lines, start: .date(frame.today))
      if let zone = recurrence.zone, TimeZone(identifier: zone) == nil {
        throw ModelError(
          code: .invalidValue, message: "DTSTART: \"\(zone)\" is not a time zone",
          hint: "give an IANA name, such as Europe/Berlin")
      }
      return recurrence
    } catch {
      throw CommandFailure.badValue(
        "--rrule: \(error.message)",
        hint: error.hint ?? #"give lines such as "DTSTART:20261123T173000\nRRULE:FREQ=DAILY""#)
    }
  }

  // MARK: - Conflicting flags

  private func requireOneRule() throws(CommandFailure) {
    let combined = [["--on", "--every"], ["--on", "--interval"]]
    guard ruleNames.count <= 1 || combined.contains(ruleNames) else {
      throw .usage(
        "\(ruleNames.joined(separator: " and ")) cannot be used together",
        hint: "give one of them")
    }
    let onceHasTime = try once.value(for: "--once")?.hasTime ?? false
    guard at.isEmpty || !onceHasTime else {
      throw .usage(
        "--at cannot be used with --once, which includes the time", hint: "leave out --at")
    }
  }

  private func requireFitting(_ rule: Schedule.Rule) throws(CommandFailure) {
    if !at.isEmpty, interval != nil || afterDone != nil {
      throw .usage(
        "--at cannot be used with \(interval == nil ? "--after-done" : "--interval"), which sets "
          + "its own times", hint: "leave out --at")
    }
    if !at.isEmpty, rule.hasOwnTimes {
      throw .usage(
        "--at cannot be used with \(rule.flag), which sets its own times", hint: "leave out --at")
    }
    if from != nil, !on.isEmpty, interval != nil {
      throw .usage(
        "--from cannot be used with --on and --interval",
        hint: "the first time is the start of --window")
    }
    if from != nil, rule.anchor == nil, rule.interval == nil, every == nil {
      throw .usage(
        "--from requires --every, --interval or --after-done",
        hint: "add --every 3d or --interval 4h")
    }
    if window != nil, interval == nil, rule.interval.map({ $0.anchor != nil }) ?? true {
      throw .usage("--window requires --interval", hint: "add --interval 4h")
    }
    if let crossing, rule.crossing == nil {
      throw .usage(
        "\(crossing.name) requires --place", hint: "add --place 52.52,13.405,200m")
    }
  }
}

/// The flags for the direction in which the border of a place is crossed.
enum CrossingFlag: EnumerableFlag {
  case entering, leaving

  static func name(for value: CrossingFlag) -> NameSpecification {
    .customLong(value == .entering ? "on-entering" : "on-leaving")
  }

  static func help(for value: CrossingFlag) -> ArgumentHelp? {
    value == .entering ? "Remind on entering --place (default)." : "Remind on leaving --place."
  }

  var crossing: Schedule.Region.Crossing { self == .entering ? .entry : .exit }

  fileprivate var name: String { self == .entering ? "--on-entering" : "--on-leaving" }
}

extension Schedule.Rule {
  fileprivate var anchor: CivilDate? {
    if case .everyDays(_, let anchor) = self { anchor } else { nil }
  }

  fileprivate var interval: Schedule.Interval? {
    if case .interval(let interval) = self { interval } else { nil }
  }

  fileprivate var crossing: Schedule.Region.Crossing? {
    if case .place(let region) = self { region.crossing } else { nil }
  }

  /// The flag that sets such a rule, for messages.
  fileprivate var flag: String {
    switch self {
    case .interval(let interval): interval.anchor == nil ? "--interval" : "--after-done"
    case .place: "--place"
    default: "a DTSTART with a time"
    }
  }
}

extension Instant {
  fileprivate var startOfMinute: Instant {
    Instant(milliseconds: milliseconds - milliseconds % 60_000)
  }
}
