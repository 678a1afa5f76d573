import CarillonModel

/// A date or date-time of a calendar, with its zone.
struct CalendarTime: Hashable {
  let moment: Recurrence.Moment
  /// The zone: `UTC` or a name of the IANA database; nil for a floating time and for a date.
  let zone: String?
  /// Whether it had seconds, which are dropped.
  let hasSeconds: Bool

  init(_ moment: Recurrence.Moment, zone: String?, hasSeconds: Bool = false) {
    self.moment = moment
    self.zone = zone
    self.hasSeconds = hasSeconds
  }

  var isDate: Bool {
    if case .date = moment { true } else { false }
  }
}

/// Well-formed content that cannot be stored, so that the component around it is dropped.
struct CalendarLoss: Error {
  let reason: ImportReport.Reason
  /// The place in the file, and the content.
  let place: String

  init(_ reason: ImportReport.Reason, _ line: Int, _ message: String) {
    self.reason = reason
    place = "line \(line): \(message)"
  }
}

extension ICalendarReader {
  /// Returns the date or date-time of a property.
  func time(of line: ICalendarLine, in zones: CalendarZones) throws -> CalendarTime {
    try time(line.value, of: line, in: zones)
  }

  /// Returns the dates or date-times in the list of a property; for a period, its start.
  func times(of line: ICalendarLine, in zones: CalendarZones) throws -> [CalendarTime] {
    try line.value.split(separator: ",", omittingEmptySubsequences: false).map { text in
      let start = line["VALUE"]?.uppercased() == "PERIOD" ? text.prefix { $0 != "/" } : text
      return try time(start, of: line, in: zones)
    }
  }

  private func time(
    _ text: some StringProtocol, of line: ICalendarLine, in zones: CalendarZones
  ) throws -> CalendarTime {
    guard let value = RecurrenceDate(text) else {
      throw problem(
        "\(line.name): \"\(ICalendarLine.excerpt(text))\" is not a date YYYYMMDD or a "
          + "date-time YYYYMMDDTHHMMSS, with or without Z", on: line.number)
    }
    guard let time = value.time else { return CalendarTime(.date(value.date), zone: nil) }
    let zone =
      if value.isUTC { "UTC" as String? } else {
        try line["TZID"].map { try zones.name(of: $0, on: line.number) }
      }
    return CalendarTime(
      .dateTime(CivilDateTime(date: value.date, time: time)), zone: zone,
      hasSeconds: value.second != 0)
  }

  /// Returns the seconds of a duration such as `-PT15M` or `P1W`.
  func seconds(_ text: some StringProtocol, of line: ICalendarLine) throws -> Int {
    guard let seconds = Int(calendarDuration: text) else {
      throw problem(
        "\(line.name): \"\(ICalendarLine.excerpt(text))\" is not a duration such as -PT15M",
        on: line.number)
    }
    return seconds
  }
}

extension Int {
  /// Creates the seconds of a duration: a sign, `P`, then weeks, or days, hours, minutes and
  /// seconds.
  ///
  /// - Source: RFC 5545, section 3.3.6.
  init?(calendarDuration text: some StringProtocol) {
    var rest = Substring(text.uppercased())
    let isNegative = rest.hasPrefix("-")
    if isNegative || rest.hasPrefix("+") { rest.removeFirst() }
    guard rest.popFirst() == "P" else { return nil }
    let units: [(Character, Int)] = [("W", 604_800), ("D", 86_400)]
    let timeUnits: [(Character, Int)] = [("H", 3_600), ("M", 60), ("S", 1)]
    let sides = rest.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    guard let dates = Self.sum(sides[0], units),
      let times = sides.count == 2 ? Self.sum(sides[1], timeUnits) : 0,
      !rest.isEmpty, sides.count == 1 || !sides[1].isEmpty
    else { return nil }
    self = isNegative ? -(dates + times) : dates + times
  }

  /// Adds up numbers of at most nine digits, each followed by its unit, in the order of the units.
  private static func sum(_ text: Substring, _ units: [(Character, Int)]) -> Int? {
    var rest = text
    var sum = 0
    for (unit, seconds) in units {
      guard let end = rest.firstIndex(of: unit) else { continue }
      guard rest[..<end].utf8.count <= 9, let number = Int(digits: rest[..<end]) else { return nil }
      sum += number * seconds
      rest = rest[rest.index(after: end)...]
    }
    return rest.isEmpty ? sum : nil
  }
}

extension String {
  /// The text value without its escapes: `\n`, `\,`, `\;` and `\\`.
  ///
  /// - Source: RFC 5545, section 3.3.11.
  var calendarText: String {
    guard utf8.contains(UInt8(ascii: "\\")) else { return self }
    var text = ""
    var isEscaped = false
    for scalar in unicodeScalars {
      if isEscaped {
        switch scalar {
        case "n", "N": text.unicodeScalars.append("\n")
        case ",", ";", "\\", ":", "\"": text.unicodeScalars.append(scalar)
        default: text.unicodeScalars.append(contentsOf: ["\\", scalar])
        }
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return isEscaped ? text + "\\" : text
  }
}
