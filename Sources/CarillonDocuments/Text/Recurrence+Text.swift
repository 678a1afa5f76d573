package import CarillonModel

extension Recurrence {
  /// The lines of RFC 5545, for a recurrence that ``words`` cannot describe.
  package var lines: String { description.replacing("\n", with: " ") }

  /// A description such as `every 2 weeks on Mon, Fri from 2026-11-23 07:30, 10 times`.
  ///
  /// Without times if the recurrence has dates only; nil if no short sentence describes it exactly.
  package var words: String? {
    if rules.isEmpty { return excludedRules.isEmpty ? datesAlone : nil }
    let periods = (rules + excludedRules).compactMap { $0.period(from: start.date) }
    guard additions.isEmpty, periods.count == rules.count + excludedRules.count else { return nil }
    let from = "from \(start.date)"
    let all =
      rules.count == 1
      ? "\(periods[0]) \(from)\(clock(of: rules[0]))\(rules[0].endWords)"
      : zip(rules, periods).map { "\($1)\(clock(of: $0))\($0.endWords)" }
        .joined(separator: ", and ") + ", \(from)"
    let excluded = zip(excludedRules, periods.dropFirst(rules.count)).map {
      "\($1)\(clock(of: $0))\($0.endWords)"
    }
    return all + withoutWords(excluded) + zoneWords
  }

  /// The times of a rule, or the start's time if the rule counts hours or minutes from it.
  private func clock(of rule: RecurrenceRule) -> String {
    guard !isDateOnly else { return "" }
    let time = start.dateTime.time
    let times = rule.minutesOfPeriod == nil ? rule.times(startingAt: time) : [time]
    return ([""] + times.map(\.description)).joined(separator: " ")
  }

  /// The description of a recurrence without a rule: its start and its additions.
  private var datesAlone: String? {
    guard exceptions.isEmpty, additions.count < Self.maxListed else { return nil }
    let dates = Set([start] + additions).sorted()
    return "once on " + dates.map(\.words).joined(separator: ", ") + zoneWords
  }

  private func withoutWords(_ excluded: [String]) -> String {
    let dates =
      exceptions.count > Self.maxListed
      ? ["\(exceptions.count) dates"] : exceptions.map(\.words)
    let all = excluded + dates
    return all.isEmpty ? "" : ", without \(all.joined(separator: ", "))"
  }

  private var zoneWords: String { zone.map { " \($0)" } ?? "" }

  /// The most dates that are listed individually.
  private static let maxListed = 3
}

extension RecurrenceRule {
  /// Returns a description such as `daily`, `every 2 weeks on Mon, Fri` or `monthly on the last
  /// Fri`; nil if the rule is more complex.
  fileprivate func period(from start: CivilDate) -> String? {
    guard setPositions.isEmpty else { return nil }
    switch frequency {
    case .minutely: return every("every minute", "minute") + limits
    case .hourly: return every("hourly", "hour") + limits
    case .daily:
      return months.isEmpty && monthDays.isEmpty && days.isEmpty ? every("daily", "day") : nil
    case .weekly:
      guard months.isEmpty, interval == 1 || weekStart == .monday else { return nil }
      let weekdays = days.isEmpty ? [start.weekday] : Set(days.map(\.weekday))
      return "\(every("weekly", "week")) on \(weekdays.names)"
    case .monthly:
      guard months.isEmpty, let inside = daysOfMonth(from: start) else { return nil }
      return "\(every("monthly", "month")) on \(inside)"
    case .yearly where !weekNumbers.isEmpty || !yearDays.isEmpty:
      return daysOfYear(from: start).map { "\(every("yearly", "year")) on \($0)" }
    case .yearly where months.isEmpty && !monthDays.isEmpty:
      guard let inside = daysOfMonth(from: start) else { return nil }
      return "\(every("yearly", "year")) on \(inside) of every month"
    case .yearly:
      // Without months, ordinals of weekdays count through the whole year.
      guard !months.isEmpty || days.isEmpty, let inside = daysOfMonth(from: start) else {
        return nil
      }
      let months = months.isEmpty ? [start.components.month] : months
      let names = months.map(LocalTime.monthName).joined(separator: ", ")
      return "\(every("yearly", "year")) on \(inside) of \(names)"
    }
  }

  fileprivate var endWords: String {
    switch end {
    case .never: ""
    case .count(let count): ", \(count.counted("time"))"
    case .untilDate(let date): ", until \(date)"
    case .until(let last): ", until \(last.words)"
    case .untilUTC(let last): ", until \(last.words) UTC"
    }
  }

  /// The dates, hours and minutes to which a rule of hours or minutes is limited: ` on Mon-Fri in
  /// hour 9, 10 at minute 0, 30`.
  private var limits: String {
    var words: [String] = []
    if !days.isEmpty { words.append("on \(Set(days.map(\.weekday)).names)") }
    if !monthDays.isEmpty { words.append("on \(Self.places(monthDays)) of the month") }
    if !yearDays.isEmpty { words.append("on \(Self.places(yearDays)) of the year") }
    if !months.isEmpty {
      words.append("in \(months.map(LocalTime.monthName).joined(separator: ", "))")
    }
    let list = { (numbers: [Int]) in numbers.map(\.description).joined(separator: ", ") }
    if !hours.isEmpty { words.append("in hour \(list(hours))") }
    if !minutes.isEmpty { words.append("at minute \(list(minutes))") }
    return words.map { " " + $0 }.joined()
  }

  /// `Tue of the odd weeks`, `Mon of week 20`, `day 100 of the year`, or nil if several parts limit
  /// each other.
  private func daysOfYear(from start: CivilDate) -> String? {
    guard months.isEmpty, monthDays.isEmpty else { return nil }
    guard yearDays.isEmpty else {
      return weekNumbers.isEmpty && days.isEmpty ? "\(Self.places(yearDays)) of the year" : nil
    }
    let weekdays = days.isEmpty ? [start.weekday] : Set(days.map(\.weekday))
    let weeks: String
    switch weekNumbers {
    case Array(stride(from: 1, through: 53, by: 2)): weeks = "the odd weeks"
    case Array(stride(from: 2, through: 52, by: 2)): weeks = "the even weeks"
    default: weeks = Self.places(weekNumbers, "week")
    }
    return "\(weekdays.names) of \(weeks)"
  }

  /// `day 1, 15 and the last day`.
  private static func places(_ numbers: [Int], _ unit: String = "day") -> String {
    let positive = numbers.filter { $0 > 0 }.map(\.description).joined(separator: ", ")
    let negative = numbers.filter { $0 < 0 }.map { "the \(place($0))\(unit)" }
    return ((positive.isEmpty ? [] : ["\(unit) \(positive)"]) + negative)
      .joined(separator: " and ")
  }

  private func every(_ each: String, _ unit: String) -> String {
    interval == 1 ? each : "every \(interval) \(unit)s"
  }

  /// `day 1, 15`, `the last day`, `the 3rd Thu`, or nil if dates and weekdays limit each other.
  private func daysOfMonth(from start: CivilDate) -> String? {
    guard monthDays.isEmpty || days.isEmpty else { return nil }
    guard days.isEmpty else {
      return days.map { day in
        day.ordinal == 0
          ? "every \(day.weekday.name)" : "the \(Self.place(day.ordinal))\(day.weekday.name)"
      }.joined(separator: " and ")
    }
    return Self.places(monthDays.isEmpty ? [start.components.day] : monthDays)
  }

  /// `3rd `, `last ` or `2nd to last `.
  private static func place(_ ordinal: Int) -> String {
    switch ordinal {
    case -1: "last "
    case ..<0: "\(counted(-ordinal)) to last "
    default: "\(counted(ordinal)) "
    }
  }

  private static func counted(_ ordinal: Int) -> String {
    let suffixes = [1: "st", 2: "nd", 3: "rd"]
    let isTeen = (11...13).contains(ordinal % 100)
    return "\(ordinal)\((isTeen ? nil : suffixes[ordinal % 10]) ?? "th")"
  }
}

extension Recurrence.Moment {
  /// `2026-11-23`, with the time if there is one.
  package var words: String {
    switch self {
    case .date(let date): date.description
    case .dateTime(let dateTime): dateTime.words
    }
  }
}

extension CivilDateTime {
  fileprivate var words: String { "\(date) \(time)" }
}
