extension Recurrence: TextCodable {
  /// Parses DTSTART, RRULE, EXRULE, RDATE and EXDATE in the form of RFC 5545, one per line.
  ///
  /// ``init(parsing:start:)`` throws the reason if a text is rejected.
  public init?(_ text: String) {
    // Callers that need the reason use the throwing initializer.
    guard let value = try? Recurrence(parsing: text) else { return nil }
    self = value
  }

  /// Parses DTSTART, RRULE, EXRULE, RDATE and EXDATE in the form of RFC 5545, one per line.
  ///
  /// Lines end with LF or CRLF and may be folded. Names and values are read in either case. All
  /// lines but DTSTART may be repeated. A rule that starts with `FREQ=` does not need `RRULE:`.
  ///
  /// Dates and times without zone or `Z` are in the civil time of DTSTART; a zone or `Z` must be
  /// that of DTSTART. An UNTIL with `Z` is allowed with any zone.
  ///
  /// - Parameter start: The start if the text has no DTSTART; in the device's zone.
  /// - Throws: `invalidValue`; the message names the part, and the hint says what to write instead.
  package init(parsing text: String, start: Moment? = nil) throws(ModelError) {
    self = try RecurrenceParser.read(text, start: start)
    // The description is longer by at most one letter per date and one zone per line, so only long
    // texts need the check.
    guard text.utf8.count > Self.maxByteCount / 2 else { return }
    let count = description.utf8.count
    guard count <= Self.maxByteCount else { throw RecurrenceParser.tooLong(count) }
  }

  /// Creates a recurrence from rules and dates that were already parsed, all in the civil time of
  /// the start.
  ///
  /// - Parameters:
  ///   - texts: The texts after `RRULE:`.
  ///   - excluded: The texts after `EXRULE:`.
  /// - Throws: `invalidValue`; the message names the part.
  package init(
    start: Moment, zone: String?, ruleTexts texts: [String], excludedRuleTexts excluded: [String],
    additions: [Moment], exceptions: [Moment]
  ) throws(ModelError) {
    guard additions.count + exceptions.count <= Self.maxDateCount else {
      throw RecurrenceParser.tooManyDates(in: additions.isEmpty ? "EXDATE" : "RDATE")
    }
    self.init(
      start: start, zone: zone,
      rules: try RecurrenceRuleParser.read(texts, isDateOnly: start.isDate, zone: zone),
      excludedRules: try RecurrenceRuleParser.read(excluded, isDateOnly: start.isDate, zone: zone),
      additions: additions, exceptions: exceptions)
    guard rules.count + excludedRules.count <= Self.maxRuleCount else {
      throw RecurrenceParser.tooManyRules(in: excludedRules.isEmpty ? "RRULE" : "EXRULE")
    }
    let count = description.utf8.count
    guard count <= Self.maxByteCount else { throw RecurrenceParser.tooLong(count) }
  }

  /// The lines DTSTART, RRULE, EXRULE, RDATE and EXDATE, separated by LF and not folded.
  ///
  /// Equal recurrences have equal texts: in upper case, with the parts of the rule in a fixed order
  /// and without default values, and with lists ascending and without duplicates.
  public var description: String {
    let isDate = { (moment: Moment) in moment.isDate }
    let ruleLines = rules.map { "RRULE:\($0)" } + excludedRules.map { "EXRULE:\($0)" }
    let dateLines = [
      line("RDATE", additions), line("EXDATE", exceptions.filter(isDate)),
      line("EXDATE", exceptions.filter { !isDate($0) }),
    ]
    return ([line("DTSTART", [start])] + ruleLines + dateLines).compactMap(\.self)
      .joined(separator: "\n")
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
  /// Whether the moment is a whole date.
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
  /// The date as `YYYYMMDD`.
  var recurrenceText: String {
    let (year, month, day) = components
    return year.padded(4) + month.padded(2) + day.padded(2)
  }
}

extension CivilDateTime {
  /// The date and time as `YYYYMMDDTHHMM00`.
  var recurrenceText: String {
    let minute = Int(time.minute)
    return "\(date.recurrenceText)T\((minute / 60).padded(2))\((minute % 60).padded(2))00"
  }
}

extension RecurrenceRule: CustomStringConvertible {
  /// The value of the RRULE line.
  ///
  /// INTERVAL=1 and WKST=MO are left out because they are the defaults.
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
      (.byMonth, months), (.byWeekNumber, weekNumbers), (.byYearDay, yearDays),
      (.byMonthDay, monthDays), (.byDay, days), (.byHour, hours), (.byMinute, minutes),
      (.bySetPosition, setPositions),
    ]
    for (part, list) in lists where !list.isEmpty {
      parts.append(part.rawValue + "=" + list.map(\.description).joined(separator: ","))
    }
    if weekStart != .monday { parts.append("WKST=\(weekStart.recurrenceName)") }
    return parts.joined(separator: ";")
  }
}

extension RecurrenceRule.Day: CustomStringConvertible {
  /// The entry in the form `TU`, `1TU` or `-1TU`.
  public var description: String {
    (ordinal == 0 ? "" : String(ordinal)) + weekday.recurrenceName
  }
}
