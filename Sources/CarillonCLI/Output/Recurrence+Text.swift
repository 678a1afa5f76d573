import Carillon
import CarillonModel

extension Recurrence {
  /// The lines of RFC 5545, for a recurrence that ``words`` cannot describe.
  var lines: String { description.replacing("\n", with: " ") }

  /// A description such as `every 2 weeks on Mon, Fri from 2026-11-23 07:30, 10 times`.
  ///
  /// Without times if the recurrence has dates only; nil if no short sentence describes it exactly.
  var words: String? {
    guard let rule else { return datesAlone }
    guard additions.isEmpty, rule.setPositions.isEmpty,
      let period = rule.period(from: start.date)
    else { return nil }
    let end: String
    switch rule.end {
    case .never: end = ""
    case .count(let count): end = ", \(count.counted("time"))"
    case .untilDate(let date): end = ", until \(date)"
    case .until(let last): end = ", until \(last.words)"
    case .untilUTC(let last): end = ", until \(last.words) UTC"
    }
    let clock = ([""] + times.map(\.description)).joined(separator: " ")
    return "\(period) from \(start.date)\(isDateOnly ? "" : clock)\(end)\(withoutWords)\(zoneWords)"
  }

  /// The description of a recurrence without a rule: its start and its additions.
  private var datesAlone: String? {
    guard exceptions.isEmpty, additions.count < Self.maxListed else { return nil }
    let dates = Set([start] + additions).sorted()
    return "once on " + dates.map(\.words).joined(separator: ", ") + zoneWords
  }

  private var withoutWords: String {
    guard !exceptions.isEmpty else { return "" }
    return exceptions.count > Self.maxListed
      ? ", without \(exceptions.count) dates"
      : ", without \(exceptions.map(\.words).joined(separator: ", "))"
  }

  private var zoneWords: String { zone.map { " \($0)" } ?? "" }

  /// The most dates that are listed individually.
  private static let maxListed = 3
}

extension RecurrenceRule {
  /// Returns a description such as `daily`, `every 2 weeks on Mon, Fri` or `monthly on the last
  /// Fri`; nil if the rule is more complex.
  fileprivate func period(from start: CivilDate) -> String? {
    switch frequency {
    case .daily:
      return months.isEmpty && monthDays.isEmpty && days.isEmpty ? every("daily", "day") : nil
    case .weekly:
      guard months.isEmpty, interval == 1 || weekStart == .monday else { return nil }
      let weekdays = days.isEmpty ? [start.weekday] : Set(days.map(\.weekday))
      return "\(every("weekly", "week")) on \(weekdays.names)"
    case .monthly:
      guard months.isEmpty, let inside = daysOfMonth(from: start) else { return nil }
      return "\(every("monthly", "month")) on \(inside)"
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
    let positive = monthDays.isEmpty ? [start.components.day] : monthDays.filter { $0 > 0 }
    let negative = monthDays.filter { $0 < 0 }.map { "the \(Self.place($0))day" }
    let numbers = positive.map(\.description).joined(separator: ", ")
    let counted = positive.isEmpty ? [] : ["day \(numbers)"]
    return (counted + negative).joined(separator: " and ")
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
  var words: String {
    switch self {
    case .date(let date): date.description
    case .dateTime(let dateTime): dateTime.words
    }
  }
}

extension CivilDateTime {
  fileprivate var words: String { "\(date) \(time)" }
}
