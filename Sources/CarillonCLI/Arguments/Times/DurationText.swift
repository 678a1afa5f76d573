import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// A duration, such as `90s`, `15m`, `1h30m` or `3d`.
struct DurationText: ArgumentValue {
  /// At most 365 days.
  let seconds: Int
  /// The part of it that was written in days and weeks.
  let days: Int

  var duration: Duration { .seconds(seconds) }

  static let form =
    "a duration up to 365d, such as 15m or 1h30m; see carillon help times"

  init(argument: String) throws(ArgumentProblem) {
    guard let text = UnitText(argument) else {
      throw ArgumentProblem(UnitText.problem(argument))
    }
    guard text.seconds <= 31_536_000 else {
      throw ArgumentProblem("\(argument) is out of range; at most 365d is allowed")
    }
    self.init(text)
  }

  fileprivate init(_ text: UnitText) {
    (seconds, days) = (text.seconds, text.days)
  }

  /// Returns the end of the duration from an instant: days and weeks are calendar days in the zone,
  /// hours, minutes and seconds are elapsed time.
  func end(from start: Instant, in zone: TimeZone) -> Instant {
    let calendar = CivilCalendar(zone: zone)
    let now = calendar.dateTime(at: start)
    let then = CivilDateTime(date: now.date.adding(days: days), time: now.time)
    let minute = calendar.instant(of: then) ?? calendar.firstInstant(of: then.date)
    let elapsed = Int64(seconds - days * 86_400) * 1_000
    return Instant(milliseconds: minute.milliseconds + start.milliseconds % 60_000 + elapsed)
  }
}

extension Given where Value == DurationText {
  /// Parses the duration of an option that takes a range of them.
  ///
  /// - Throws: A usage error.
  func duration(
    for name: String, in range: ClosedRange<Int>, such example: String
  ) throws(CommandFailure) -> DurationText {
    DurationText(
      try UnitText.read(text, for: name, in: range, such: example, or: CommandFailure.self))
  }
}

extension DurationText {
  /// The shortest and longest durations of snoozes and intervals: a minute to 365 days.
  static let minuteToYear = 60...31_536_000
}

/// A number of days, such as `3d`, `2w`, `week` or `every other day`.
struct DayInterval: ArgumentValue {
  let days: Int

  static let form =
    "a number of days from 1d to 3650d, such as 3d or 2w; see carillon help times"

  init(argument: String) throws(ArgumentProblem) {
    guard let days = try Self.days(argument) else {
      throw ArgumentProblem("\"\(argument)\" is not a number of days such as 3d")
    }
    guard (1...3650).contains(days) else {
      throw ArgumentProblem("\(argument) is out of range; 1d to 3650d is allowed")
    }
    self.days = days
  }

  /// Parses `3d`, `2 weeks` or, without a number, `day`, `week`, `other day` and `other week`, also
  /// with `every` before it.
  fileprivate static func days(_ argument: String) throws(ArgumentProblem) -> Int? {
    let text = argument.lowercased()
    let period = text.hasPrefix("every ") ? String(text.dropFirst(6)).trimmed : text
    if let days = ["day": 1, "other day": 2, "week": 7, "other week": 14][period] { return days }
    guard let text = UnitText(period) else { return nil }
    guard text.seconds % 86_400 == 0 else {
      throw ArgumentProblem("\"\(argument)\" is not a whole number of days")
    }
    return text.seconds / 86_400
  }
}

/// The number of days without activity after which reminders stop.
struct StopAfter: ArgumentValue {
  let days: Int

  static let form = "a number of days from 0 (never stops) to 3650, such as 7 or 2w"

  init(argument: String) throws(ArgumentProblem) {
    var days = Int(digits: argument)
    if days == nil { days = try DayInterval.days(argument) }
    guard let days, (0...3650).contains(days) else {
      throw ArgumentProblem("\"\(argument)\" is not a number of days from 0 to 3650")
    }
    self.days = days
  }
}

/// A number of repeats and the time between them, such as `2x5m`.
struct RepeatText: ArgumentValue {
  let count: Int
  let seconds: Int

  static let form =
    "a number of repeats and the time between them, such as 2x5m or 3x1h, up to 100x24h"

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let count = Int(digits: parts[0]),
      (1...Schedule.Relative.maxRepeats).contains(count)
    else {
      throw ArgumentProblem(
        "\"\(argument)\" is not a number from 1 to 100 and a time, such as 2x5m")
    }
    self.count = count
    seconds = try DurationText(argument: parts[1]).seconds
  }
}

/// How often something is to be done: `3/day`, `3/week`, `3/month`, or in `3/5d` the last 5 days;
/// also `3 times a week`.
extension Quota: ArgumentValue {
  static var form: String {
    "a number of times in a period, such as 3/week or 1/3d, up to 1000 times in 366 days; see "
      + "carillon help times"
  }

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.replacing(/\ (times )?(a|per)\ /, with: "/")
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let count = Int(digits: parts[0]), parts.count <= 2 else {
      throw ArgumentProblem("\"\(argument)\" is not a number of times in a period")
    }
    guard parts.count == 2 else {
      throw ArgumentProblem("\(count) is for no period; \(count)/day and \(count)/week are for one")
    }
    let period: Quota.Period
    switch parts[1].lowercased() {
    case "day": period = .day
    case "week": period = .week
    case "month": period = .month
    default:
      guard let days = try DayInterval.days(parts[1]) else {
        throw ArgumentProblem("\"\(parts[1])\" is not a period")
      }
      period = .rolling(days: days)
    }
    guard let quota = Quota(count: count, per: period) else {
      throw ArgumentProblem("\(argument) is out of range")
    }
    self = quota
  }
}

/// More than a number of reminders within a period, such as `3/5m`.
extension DigestRule: ArgumentValue {
  static var form: String {
    "1 to 100 reminders within 1m to 24h, such as 3/5m or 5/1h"
  }

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let count = Int(digits: parts[0]) else {
      throw ArgumentProblem("\"\(argument)\" is not a number of reminders within a period")
    }
    let period = try DurationText(argument: parts[1])
    guard let rule = DigestRule(moreThan: count, within: period.duration) else {
      throw ArgumentProblem("\(argument) is out of range")
    }
    self = rule
  }
}
