/// A supported part of an RRULE.
enum RecurrencePart: String, CaseIterable {
  case frequency = "FREQ"
  case interval = "INTERVAL"
  case count = "COUNT"
  case until = "UNTIL"
  case byMonth = "BYMONTH"
  case byWeekNumber = "BYWEEKNO"
  case byYearDay = "BYYEARDAY"
  case byMonthDay = "BYMONTHDAY"
  case byDay = "BYDAY"
  case byHour = "BYHOUR"
  case byMinute = "BYMINUTE"
  case bySetPosition = "BYSETPOS"
  case weekStart = "WKST"

  /// Returns what to write instead of an unsupported part.
  static func instead(of name: String) -> String {
    switch name {
    case "BYSECOND": "leave it out; times are whole minutes"
    case "RSCALE": "leave it out; dates are Gregorian"
    case "SKIP": "leave it out; missing days of a month are skipped, and BYMONTHDAY=-1 is the last"
    default: "write \(allCases.map(\.rawValue).joined(separator: ", ")) only"
    }
  }
}

/// A parser of the value of an RRULE line.
struct RecurrenceRuleParser {
  private var values: [RecurrencePart: String] = [:]

  /// Parses rules whose start is a date or has a zone.
  static func read(
    _ texts: [String], isDateOnly: Bool, zone: String?
  ) throws(ModelError) -> [RecurrenceRule] {
    var rules: [RecurrenceRule] = []
    for text in texts { rules.append(try read(text, isDateOnly: isDateOnly, zone: zone)) }
    return rules
  }

  /// Parses a rule whose start is a date or has a zone.
  private static func read(
    _ text: String, isDateOnly: Bool, zone: String?
  ) throws(ModelError) -> RecurrenceRule {
    let parser = try RecurrenceRuleParser(text.uppercased())
    let rule = RecurrenceRule(
      frequency: try parser.frequency(),
      interval: try parser.number(.interval, 1...RecurrenceRule.maxInterval) ?? 1,
      end: try parser.end(isDateOnly: isDateOnly, zone: zone),
      months: try parser.numbers(.byMonth, 1...12),
      weekNumbers: try parser.numbers(.byWeekNumber, 1...53, orNegative: true),
      yearDays: try parser.numbers(.byYearDay, 1...366, orNegative: true),
      monthDays: try parser.numbers(.byMonthDay, 1...31, orNegative: true),
      days: try parser.days(),
      hours: try parser.numbers(.byHour, 0...23),
      minutes: try parser.numbers(.byMinute, 0...59),
      setPositions: try parser.numbers(.bySetPosition, 1...366, orNegative: true),
      weekStart: try parser.weekStart())
    try rule.checkParts()
    guard !isDateOnly || rule.minutesOfPeriod == nil else {
      throw .refused(
        "FREQ", "\(rule.frequency.rawValue) needs times, but DTSTART is a date",
        instead: "write FREQ=DAILY and give the schedule times, or write the time of DTSTART")
    }
    guard !isDateOnly || (rule.hours.isEmpty && rule.minutes.isEmpty) else {
      throw .refused(
        rule.hours.isEmpty ? "BYMINUTE" : "BYHOUR", "needs times, but DTSTART is a date",
        instead: "leave it out and give the schedule times, or write the time of DTSTART")
    }
    return rule
  }

  private init(_ text: String) throws(ModelError) {
    // Some calendars also write a semicolon after the last part.
    let parts = text.hasSuffix(";") ? text.dropLast() : text[...]
    for part in parts.split(separator: ";", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else {
        throw .refused(
          "RRULE", "'\(RecurrenceLine.excerpt(part))' is not a part of a rule",
          instead: "write parts such as FREQ=DAILY;INTERVAL=2")
      }
      let name = String(sides[0])
      guard let known = RecurrencePart(rawValue: name) else {
        throw .refused(
          RecurrenceLine.excerpt(name), "is not supported",
          instead: RecurrencePart.instead(of: name))
      }
      guard values.updateValue(String(sides[1]), forKey: known) == nil else {
        throw .refused(name, "is given twice", instead: "write one")
      }
    }
  }

  private func frequency() throws(ModelError) -> RecurrenceRule.Frequency {
    let name = values[.frequency]
    if let found = name.flatMap(RecurrenceRule.Frequency.init) { return found }
    switch name {
    case nil:
      throw .refused("FREQ", "is missing", instead: "write \(Self.frequencies)")
    case "SECONDLY":
      throw .refused(
        "FREQ", "SECONDLY is not supported, because times are whole minutes",
        instead: "write MINUTELY")
    default:
      throw .refused(
        "FREQ", "\(RecurrenceLine.excerpt(name ?? "")) is unknown",
        instead: "write \(Self.frequencies)")
    }
  }

  private static let frequencies = "MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY"

  private func end(isDateOnly: Bool, zone: String?) throws(ModelError) -> RecurrenceRule.End {
    let count = try number(.count, 1...RecurrenceRule.maxCount)
    guard let text = values[.until] else { return count.map { .count($0) } ?? .never }
    guard count == nil else {
      throw .refused("COUNT", "cannot be combined with UNTIL", instead: "write one of them")
    }
    guard let until = RecurrenceDate(text) else {
      throw .refused(
        "UNTIL", "\(RecurrenceLine.excerpt(text)) is not a date",
        instead: "write YYYYMMDD or YYYYMMDDTHHMMSS")
    }
    guard let time = until.time else { return .untilDate(until.date) }
    guard !isDateOnly else {
      throw .refused(
        "UNTIL", "has a time, but DTSTART is a date", instead: "write UNTIL=\(text.prefix(8))")
    }
    let moment = CivilDateTime(date: until.date, time: time)
    guard until.isUTC || zone == "UTC" else { return .until(moment) }
    guard zone != nil else {
      throw .refused(
        "UNTIL", "is UTC, but DTSTART has no zone",
        instead: "leave out the Z, or write DTSTART with TZID")
    }
    return .untilUTC(moment)
  }

  private func weekStart() throws(ModelError) -> Weekday {
    guard let text = values[.weekStart] else { return .monday }
    guard let day = Weekday(recurrenceName: text) else {
      throw .refused(
        "WKST", "\(RecurrenceLine.excerpt(text)) is not a weekday",
        instead: "write MO, TU, WE, TH, FR, SA or SU")
    }
    return day
  }

  private func days() throws(ModelError) -> [RecurrenceRule.Day] {
    var found: Set<RecurrenceRule.Day> = []
    for text in elements(of: .byDay) {
      let digits = text.dropLast(2)
      let ordinal = digits.isEmpty ? 0 : Self.signed(digits)
      guard let ordinal, let weekday = Weekday(recurrenceName: text.suffix(2)),
        digits.isEmpty || (1...53).contains(abs(ordinal))
      else {
        throw .refused(
          "BYDAY", "\(RecurrenceLine.excerpt(text)) is not a weekday",
          instead: "write MO to SU, optionally preceded by 1 to 53 or -1 to -53")
      }
      found.insert(RecurrenceRule.Day(ordinal: ordinal, weekday: weekday))
    }
    return found.sorted()
  }

  // MARK: - Numbers

  private func elements(of part: RecurrencePart) -> [Substring] {
    values[part]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
  }

  private func number(
    _ part: RecurrencePart, _ range: ClosedRange<Int>
  ) throws(ModelError) -> Int? {
    guard let text = values[part] else { return nil }
    guard let number = Int(digits: text), range.contains(number) else {
      throw Self.outOfRange(part, text[...], range, orNegative: false)
    }
    return number
  }

  private func numbers(
    _ part: RecurrencePart, _ range: ClosedRange<Int>, orNegative: Bool = false
  ) throws(ModelError) -> [Int] {
    var found: Set<Int> = []
    for text in elements(of: part) {
      let number = orNegative ? Self.signed(text) : Int(digits: text)
      guard let number, range.contains(abs(number)) else {
        throw Self.outOfRange(part, text, range, orNegative: orNegative)
      }
      found.insert(number)
    }
    return found.sorted()
  }

  private static func outOfRange(
    _ part: RecurrencePart, _ text: Substring, _ range: ClosedRange<Int>, orNegative: Bool
  ) -> ModelError {
    let negative = orNegative ? ", or -\(range.upperBound) to -\(range.lowerBound)" : ""
    return .refused(
      part.rawValue, "\(RecurrenceLine.excerpt(text)) is out of range",
      instead: "write \(range.lowerBound) to \(range.upperBound)\(negative)")
  }

  private static func signed(_ text: Substring) -> Int? {
    switch text.first {
    case "-": Int(digits: text.dropFirst()).map { -$0 }
    case "+": Int(digits: text.dropFirst())
    default: Int(digits: text)
    }
  }
}

extension RecurrenceRule {
  /// Rejects parts that cannot be combined.
  fileprivate func checkParts() throws(ModelError) {
    let hasOrdinals = days.contains { $0.ordinal != 0 }
    switch frequency {
    case .weekly where !monthDays.isEmpty:
      throw .refused(
        "BYMONTHDAY", "cannot be combined with FREQ=WEEKLY",
        instead: "write FREQ=DAILY or FREQ=MONTHLY")
    case .minutely where hasOrdinals, .hourly where hasOrdinals, .daily where hasOrdinals,
      .weekly where hasOrdinals:
      throw .refused(
        "BYDAY", "an ordinal requires a month or a year",
        instead: "write FREQ=MONTHLY or FREQ=YEARLY, or leave the number out")
    case .yearly where hasOrdinals && !weekNumbers.isEmpty:
      throw .refused(
        "BYDAY", "an ordinal cannot be combined with BYWEEKNO",
        instead: "leave the number out, or BYWEEKNO")
    case .minutely where !weekNumbers.isEmpty, .hourly where !weekNumbers.isEmpty,
      .daily where !weekNumbers.isEmpty, .weekly where !weekNumbers.isEmpty,
      .monthly where !weekNumbers.isEmpty:
      throw .refused(
        "BYWEEKNO", "cannot be combined with FREQ=\(frequency.rawValue)",
        instead: "write FREQ=YEARLY, with BYDAY for the days of the week")
    case .daily where !yearDays.isEmpty, .weekly where !yearDays.isEmpty,
      .monthly where !yearDays.isEmpty:
      throw .refused(
        "BYYEARDAY", "cannot be combined with FREQ=\(frequency.rawValue)",
        instead: "write FREQ=YEARLY, or FREQ=HOURLY")
    default: break
    }
    let isOfMonth = frequency == .monthly || !months.isEmpty
    if isOfMonth, let far = days.first(where: { abs($0.ordinal) > 5 }) {
      throw .refused(
        "BYDAY", "\(far) does not occur in any month",
        instead: "write 1 to 5 or -1 to -5 in front of the day")
    }
    let others: [Bool] = [
      months.isEmpty, weekNumbers.isEmpty, yearDays.isEmpty, monthDays.isEmpty, days.isEmpty,
      hours.isEmpty, minutes.isEmpty,
    ]
    guard setPositions.isEmpty || others.contains(false) else {
      throw .refused(
        "BYSETPOS", "requires another BY part",
        instead: "write BYDAY or another BY part too, or leave BYSETPOS out")
    }
  }
}
