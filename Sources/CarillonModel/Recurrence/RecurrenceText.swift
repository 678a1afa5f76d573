extension Recurrence: TextCodable {
  /// Reads DTSTART, RRULE, RDATE and EXDATE as RFC 5545 writes them, one a line.
  ///
  /// ``init(parsing:start:)`` says why a text is refused.
  public init?(_ text: String) {
    // Who wants to know why it was refused calls the throwing form.
    guard let value = try? Recurrence(parsing: text) else { return nil }
    self = value
  }

  /// Reads DTSTART, RRULE, RDATE and EXDATE as RFC 5545 writes them, one a line.
  ///
  /// Lines end with LF or CRLF and may be folded; names and values are read in either case; RDATE
  /// and EXDATE may stand on several lines. A rule may stand without `RRULE:` where it begins with
  /// `FREQ=`.
  ///
  /// Dates and times without zone or `Z` are on the clock of DTSTART; with them, they must name
  /// the zone that DTSTART names. An UNTIL with `Z` may stand beside any zone.
  ///
  /// - Parameter start: Stands in where the text has no DTSTART; of the device's zone.
  /// - Throws: `invalidValue`; the message names the part, the hint says what to write instead.
  public init(parsing text: String, start: Moment? = nil) throws(ModelError) {
    self = try RecurrenceParser.read(text, start: start)
    // A date is written with a letter more at most, and a line with a zone.
    guard text.utf8.count > Self.maxByteCount / 2 else { return }
    let count = description.utf8.count
    guard count <= Self.maxByteCount else { throw RecurrenceParser.tooLong(count) }
  }

  /// Reads an RRULE beside dates that were read already, all on the clock of the start.
  ///
  /// - Parameter text: What stands behind `RRULE:`; nil where there is none.
  /// - Throws: `invalidValue`; the message names the part.
  package init(
    start: Moment, zone: String?, ruleText text: String?, additions: [Moment], exceptions: [Moment]
  ) throws(ModelError) {
    guard additions.count + exceptions.count <= Self.maxDateCount else {
      throw RecurrenceParser.tooManyDates(in: additions.isEmpty ? "EXDATE" : "RDATE")
    }
    var rule: RecurrenceRule?
    if let text {
      rule = try RecurrenceRuleParser.read(text, isDateOnly: start.isDate, zone: zone)
    }
    self.init(start: start, zone: zone, rule: rule, additions: additions, exceptions: exceptions)
    let count = description.utf8.count
    guard count <= Self.maxByteCount else { throw RecurrenceParser.tooLong(count) }
  }

  /// The lines DTSTART, RRULE, RDATE and EXDATE, each at most once, divided by LF and not folded.
  ///
  /// Equal recurrences have equal texts: in upper case, the parts of the rule in a fixed order
  /// without those that say what holds anyway, lists ascending and without repeats.
  public var description: String {
    let isDate = { (moment: Moment) in moment.isDate }
    return [
      line("DTSTART", [start]), rule.map { "RRULE:\($0)" },
      line("RDATE", additions), line("EXDATE", exceptions.filter(isDate)),
      line("EXDATE", exceptions.filter { !isDate($0) }),
    ].compactMap(\.self).joined(separator: "\n")
  }

  private func line(_ name: String, _ moments: [Moment]) -> String? {
    guard let first = moments.first else { return nil }
    let parameter =
      if first.isDate { ";VALUE=DATE" } else if let zone, zone != "UTC" { ";TZID=\(zone)" } else {
        ""
      }
    let mark = zone == "UTC" && !first.isDate ? "Z" : ""
    return name + parameter + ":"
      + moments.map { $0.recurrenceText + mark }.joined(separator: ",")
  }
}

extension Recurrence.Moment {
  /// Whether it is a whole date.
  var isDate: Bool {
    if case .date = self { true } else { false }
  }

  fileprivate var recurrenceText: String {
    switch self {
    case .date(let date): date.recurrenceText
    case .dateTime(let dateTime): dateTime.recurrenceText
    }
  }
}

extension CivilDate {
  /// `YYYYMMDD`.
  var recurrenceText: String {
    let (year, month, day) = components
    return year.padded(4) + month.padded(2) + day.padded(2)
  }
}

extension CivilDateTime {
  /// `YYYYMMDDTHHMM00`.
  var recurrenceText: String {
    let minute = Int(time.minute)
    return "\(date.recurrenceText)T\((minute / 60).padded(2))\((minute % 60).padded(2))00"
  }
}

extension RecurrenceRule: CustomStringConvertible {
  /// The value of the RRULE line.
  ///
  /// INTERVAL=1 and WKST=MO are left out, since they hold anyway.
  public var description: String {
    var parts = ["FREQ=\(frequency.rawValue)"]
    if interval != 1 { parts.append("INTERVAL=\(interval)") }
    switch end {
    case .never: break
    case .count(let count): parts.append("COUNT=\(count)")
    case .untilDate(let date): parts.append("UNTIL=\(date.recurrenceText)")
    case .until(let moment): parts.append("UNTIL=\(moment.recurrenceText)")
    case .untilUTC(let moment): parts.append("UNTIL=\(moment.recurrenceText)Z")
    }
    let lists: [(RecurrencePart, [any CustomStringConvertible])] = [
      (.byMonth, months), (.byMonthDay, monthDays), (.byDay, days), (.byHour, hours),
      (.byMinute, minutes), (.bySetPosition, setPositions),
    ]
    for (part, list) in lists where !list.isEmpty {
      parts.append(part.rawValue + "=" + list.map(\.description).joined(separator: ","))
    }
    if weekStart != .monday { parts.append("WKST=\(weekStart.recurrenceName)") }
    return parts.joined(separator: ";")
  }
}

extension RecurrenceRule.Day: CustomStringConvertible {
  /// `TU`, `1TU` or `-1TU`.
  public var description: String {
    (ordinal == 0 ? "" : String(ordinal)) + weekday.recurrenceName
  }
}
