/// A parser of the lines of a recurrence.
struct RecurrenceParser {
  private var start: Recurrence.Moment?
  private var zone: String?
  private var ruleTexts: [String] = []
  private var excludedRuleTexts: [String] = []
  private var additions: [Recurrence.Moment] = []
  private var exceptions: [Recurrence.Moment] = []

  /// Reads a text; `start` is used if the text has no DTSTART.
  static func read(_ text: String, start: Recurrence.Moment?) throws(ModelError) -> Recurrence {
    let lines = try RecurrenceLine.all(in: text)
    var parser = RecurrenceParser()
    // DTSTART determines how all other lines are read: as dates or times, and in which zone.
    for line in lines where line.name == "DTSTART" { try parser.readStart(line) }
    if parser.start == nil { parser.start = start }
    guard let start = parser.start else {
      throw .refused(
        "DTSTART", "is missing",
        instead: "begin with a line such as DTSTART:20260105T073000, or DTSTART;VALUE=DATE:20260105"
      )
    }
    for line in lines where line.name != "DTSTART" { try parser.read(line, start) }
    return try parser.recurrence(start)
  }

  /// Returns the error for a text that is too long.
  static func tooLong(_ count: Int) -> ModelError {
    .refused(
      "the recurrence", "has \(count) bytes; at most \(Recurrence.maxByteCount) are allowed",
      instead: "replace the dates with a rule, or several schedules")
  }

  /// Returns the error for too many dates.
  static func tooManyDates(in name: String) -> ModelError {
    .refused(
      name, "there are more than \(Recurrence.maxDateCount) dates in RDATE and EXDATE",
      instead: "replace them with a rule, or several schedules")
  }

  /// Returns the error for too many rules.
  static func tooManyRules(in name: String) -> ModelError {
    .refused(
      name, "there are more than \(Recurrence.maxRuleCount) rules in RRULE and EXRULE",
      instead: "write several schedules")
  }

  private mutating func readStart(_ line: RecurrenceLine) throws(ModelError) {
    guard start == nil else {
      throw .refused("DTSTART", "is given twice", instead: "write one")
    }
    guard !line.value.contains(",") else {
      throw .refused("DTSTART", "is a list", instead: "write one, and the others as RDATE")
    }
    let value = try RecurrenceValue(line.value, in: line)
    if let named = line.zone {
      guard case .dateTime = value.moment else {
        throw .refused("DTSTART TZID", "a date cannot have a zone", instead: "write the time too")
      }
      guard !value.isUTC else {
        throw .refused("DTSTART", "has both TZID and Z", instead: "leave one out")
      }
      zone = named
    } else if value.isUTC {
      zone = "UTC"
    }
    start = value.moment
  }

  private mutating func read(
    _ line: RecurrenceLine, _ start: Recurrence.Moment
  ) throws(ModelError) {
    switch line.name {
    case "RRULE", "EXRULE":
      guard line.parameters.isEmpty else {
        throw .refused(
          line.name, "cannot have parameters", instead: "write \(line.name): and the rule")
      }
      if line.name == "RRULE" {
        ruleTexts.append(line.value)
      } else {
        excludedRuleTexts.append(line.value)
      }
      guard ruleTexts.count + excludedRuleTexts.count <= Recurrence.maxRuleCount else {
        throw Self.tooManyRules(in: line.name)
      }
    case "RDATE": additions += try moments(of: line, start)
    case "EXDATE": exceptions += try moments(of: line, start)
    default:
      throw .refused(
        RecurrenceLine.excerpt(line.name), "is unknown",
        instead: "write the lines DTSTART, RRULE, EXRULE, RDATE and EXDATE only")
    }
    let count = additions.count + exceptions.count
    guard count <= Recurrence.maxDateCount else {
      throw Self.tooManyDates(in: line.name)
    }
  }

  private func moments(
    of line: RecurrenceLine, _ start: Recurrence.Moment
  ) throws(ModelError) -> [Recurrence.Moment] {
    if let named = line.zone, named != zone {
      throw .refused(
        "\(line.name) TZID", "is \(named), but DTSTART has \(zone ?? "no zone")",
        instead: "write the zone of DTSTART")
    }
    var found: [Recurrence.Moment] = []
    for text in line.value.split(separator: ",", omittingEmptySubsequences: false) {
      let value = try RecurrenceValue(text, in: line)
      guard !value.isUTC || (zone == "UTC" && line.zone == nil) else {
        throw .refused(
          line.name, "\(text) is UTC, but DTSTART is not",
          instead: "write the local time of DTSTART, without Z")
      }
      switch (start.isDate, value.moment.isDate) {
      case (true, false):
        throw .refused(
          line.name, "\(text) has a time, but DTSTART is a date", instead: "write the date alone")
      case (false, true) where line.name == "RDATE":
        throw .refused(
          line.name, "\(text) is a date, but DTSTART has a time", instead: "write the time too")
      case (true, true) where line.zone != nil, (false, true) where line.zone != nil:
        throw .refused("\(line.name) TZID", "a date cannot have a zone", instead: "leave TZID out")
      default: found.append(value.moment)
      }
    }
    return found
  }

  private func recurrence(_ start: Recurrence.Moment) throws(ModelError) -> Recurrence {
    guard !ruleTexts.isEmpty || !additions.isEmpty else {
      throw .refused(
        "RRULE", "is missing",
        instead: "write one such as RRULE:FREQ=WEEKLY;BYDAY=MO,TH, or RDATE")
    }
    let isDate = start.isDate
    return Recurrence(
      start: start, zone: zone,
      rules: try RecurrenceRuleParser.read(ruleTexts, isDateOnly: isDate, zone: zone),
      excludedRules: try RecurrenceRuleParser.read(
        excludedRuleTexts, isDateOnly: isDate, zone: zone),
      additions: additions, exceptions: exceptions)
  }
}

/// A date, with or without a time, in the form of a line's value.
struct RecurrenceValue {
  let moment: Recurrence.Moment
  let isUTC: Bool

  /// Reads `YYYYMMDD`, or `YYYYMMDDTHHMMSS` with or without a final `Z`, in either case.
  init(_ text: some StringProtocol, in line: RecurrenceLine) throws(ModelError) {
    guard let value = RecurrenceDate(text) else {
      throw .refused(
        line.name, "\(RecurrenceLine.excerpt(text)) is not a date",
        instead: "write YYYYMMDD or YYYYMMDDTHHMMSS")
    }
    if let isDate = line.isDate, isDate != (value.time == nil) {
      throw .refused(
        line.name, "\(text) does not match VALUE",
        instead: "leave VALUE out, or change it")
    }
    guard value.second == 0 else {
      throw .refused(
        line.name, "\(text) has seconds; times are whole minutes", instead: "write 00 as seconds")
    }
    guard Recurrence.accepted.contains(value.date) else {
      throw .refused(
        line.name, "\(value.date) is out of range",
        instead: "write a date from \(Recurrence.accepted.lowerBound) "
          + "to \(Recurrence.accepted.upperBound)")
    }
    moment =
      value.time.map { .dateTime(CivilDateTime(date: value.date, time: $0)) } ?? .date(value.date)
    isUTC = value.isUTC
  }
}

/// The parts of a date, with or without a time.
package struct RecurrenceDate {
  /// The date.
  package let date: CivilDate
  /// The time; nil for a whole date.
  package let time: TimeOfDay?
  /// The seconds, 0...59.
  package let second: Int
  /// Whether the text ends with `Z`.
  package let isUTC: Bool

  /// Reads `YYYYMMDD`, or `YYYYMMDDTHHMMSS` with or without a final `Z`, in either case.
  package init?(_ text: some StringProtocol) {
    let upper = text.uppercased()
    guard upper.utf8.count >= 8, let year = Int(digits: upper.prefix(4)),
      let month = Int(digits: upper.dropFirst(4).prefix(2)),
      let day = Int(digits: upper.dropFirst(6).prefix(2)),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    self.date = date
    let rest = upper.dropFirst(8)
    if rest.isEmpty {
      (time, second, isUTC) = (nil, 0, false)
      return
    }
    isUTC = rest.hasSuffix("Z")
    let clock = rest.dropFirst().prefix(6)
    guard rest.hasPrefix("T"), rest.utf8.count == (isUTC ? 8 : 7), clock.utf8.count == 6,
      let hour = Int(digits: clock.prefix(2)), hour < 24,
      let minute = Int(digits: clock.dropFirst(2).prefix(2)), minute < 60,
      let second = Int(digits: clock.suffix(2)), second < 60
    else { return nil }
    time = TimeOfDay(minute: hour * 60 + minute)
    self.second = second
  }
}

extension ModelError {
  /// Returns the error for a rejected part of a recurrence: what, why, and what to write instead.
  static func refused(_ part: String, _ problem: String, instead hint: String) -> ModelError {
    ModelError(code: .invalidValue, message: "\(part): \(problem)", hint: hint)
  }
}
