import Carillon
import Foundation

extension String: ArgumentValue {
  static var form: String { "text" }

  init(argument: String) {
    self = argument
  }
}

extension Int: TextValue {
  static var form: String { "a whole number" }
}

extension CivilDate: ArgumentValue {
  static var form: String { "a date YYYY-MM-DD, from 1970-01-01 to 2200-12-31" }

  init(argument: String) throws(ArgumentProblem) {
    guard let date = CivilDate(argument) else {
      throw ArgumentProblem("\"\(argument)\" is not a calendar date")
    }
    guard Self.accepted.contains(date) else {
      throw ArgumentProblem(
        "\(date) is out of range; \(Self.accepted.lowerBound) to \(Self.accepted.upperBound) is "
          + "allowed")
    }
    self = date
  }
}

extension CivilDateTime: ArgumentValue {
  static var form: String { "a date and time, YYYY-MM-DDTHH:MM" }

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: "T", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      throw ArgumentProblem("\"\(argument)\" is not a date and time separated by T")
    }
    let time = try TimeOfDay(argument: parts[1])
    self.init(date: try CivilDate(argument: parts[0]), time: time)
  }
}

extension TimeOfDay: ArgumentValue {
  static var form: String { "a time HH:MM, from 00:00 to 23:59" }

  init(argument: String) throws(ArgumentProblem) {
    guard let time = TimeOfDay(argument) else {
      let padded = TimeOfDay("0" + argument).map { "; write \($0)" } ?? ""
      throw ArgumentProblem("\"\(argument)\" is not a time from 00:00 to 23:59\(padded)")
    }
    self = time
  }
}

extension Goal: TextValue {
  static var form: String {
    "a number of times in a number of days, such as 3/7d, up to 1000 times in 366 days"
  }
}

/// A comma-separated list of times of day.
struct TimeList: ArgumentValue {
  let times: [TimeOfDay]

  static let form = "times HH:MM from 00:00 to 23:59, separated by commas"

  init(argument: String) throws(ArgumentProblem) {
    var times: [TimeOfDay] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      times.append(try TimeOfDay(argument: String(part)))
    }
    self.times = times
  }
}

/// A comma-separated list of weekdays and ranges of weekdays; never empty.
struct WeekdayList: ArgumentValue {
  let days: Set<Weekday>

  static let form =
    "weekdays (mon, tue, wed, thu, fri, sat, sun) or ranges such as mon-fri, separated by commas"

  init(argument: String) throws(ArgumentProblem) {
    guard !argument.isEmpty else {
      throw ArgumentProblem("the list of weekdays is empty; at least one is required")
    }
    var days: Set<Weekday> = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      days.formUnion(try Self.days(of: part))
    }
    self.days = days
  }

  /// Returns the day, or the days of a range; `sat-mon` goes over the end of the week.
  private static func days(of text: Substring) throws(ArgumentProblem) -> [Weekday] {
    var bounds: [Weekday] = []
    for name in text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false) {
      guard let day = Weekday(abbreviation: String(name)) else {
        throw ArgumentProblem("\"\(text)\" is not a weekday")
      }
      bounds.append(day)
    }
    guard bounds.count == 2 else { return bounds }
    let all = Weekday.allCases
    return bounds[0] <= bounds[1]
      ? all.filter { (bounds[0]...bounds[1]).contains($0) }
      : all.filter { $0 >= bounds[0] || $0 <= bounds[1] }
  }
}

/// A number of days, such as `3d`.
struct DayInterval: ArgumentValue {
  let days: Int

  static let form = "a number of days from 1d to 3650d"

  init(argument: String) throws(ArgumentProblem) {
    guard argument.hasSuffix("d"), let days = Int(argument.dropLast()),
      !argument.hasPrefix("+")
    else { throw ArgumentProblem("\"\(argument)\" is not a number of days such as 3d") }
    guard (1...3650).contains(days) else {
      throw ArgumentProblem("\(argument) is out of range; 1d to 3650d is allowed")
    }
    self.days = days
  }
}

/// The number of days without activity after which reminders stop.
struct StopAfter: ArgumentValue {
  let days: Int

  static let form = "a number of days from 0 (never stops) to 3650"

  init(argument: String) throws(ArgumentProblem) {
    let digits = argument.hasSuffix("d") ? String(argument.dropLast()) : argument
    guard let days = Int(digits), (0...3650).contains(days) else {
      throw ArgumentProblem("\"\(argument)\" is not a number of days from 0 to 3650")
    }
    self.days = days
  }
}

/// An amount is written as a decimal with at most three decimal places.
extension Amount: ArgumentValue {
  static let form = "a number from 0 to 1000000000 with at most three decimal places"
  private static let greatest: Int64 = 1_000_000_000_000

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
    let isDecimal =
      (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard isDecimal, let whole = Int64(parts[0]) else {
      throw ArgumentProblem("\"\(argument)\" is not a number of at least 0")
    }
    let fraction = parts.count == 2 ? String(parts[1]) : ""
    guard fraction.utf8.count <= 3 else {
      throw ArgumentProblem("\"\(argument)\" has more than three decimal places")
    }
    let padded = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
    let (product, overflow) = whole.multipliedReportingOverflow(by: 1000)
    guard !overflow, let rest = Int64(padded), product <= Self.greatest - rest else {
      throw ArgumentProblem("\(argument) is out of range; at most 1000000000 is allowed")
    }
    self.init(thousandths: product + rest)
  }
}

/// A time zone, by its name in the IANA database.
struct ZoneName: ArgumentValue {
  let zone: TimeZone
  /// Foundation's name of the zone, except that `UTC` stays as given.
  let name: String

  static let form = "the IANA name of a time zone, such as Europe/Berlin"

  init(argument: String) throws(ArgumentProblem) {
    guard let zone = TimeZone(identifier: argument) else {
      throw ArgumentProblem("\"\(argument)\" is not a time zone")
    }
    self.zone = zone
    name = argument == "UTC" ? argument : zone.identifier
  }
}

/// One `KEY=VALUE` pair.
struct DataItem: ArgumentValue {
  let key: String
  let value: String

  static let form = "KEY=VALUE; at most 16 keys, and 2000 bytes in total"

  init(argument: String) throws(ArgumentProblem) {
    guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
      throw ArgumentProblem("\"\(argument)\" is not KEY=VALUE")
    }
    key = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
  }
}
