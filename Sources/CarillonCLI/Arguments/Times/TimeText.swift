import Carillon
import CarillonModel

extension String {
  /// The text without spaces at both ends.
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// A time of day as people write it: `7`, `7:00`, `07:00`, `7pm`, `19.30`, `noon` or `midnight`.
extension TimeOfDay: ArgumentValue {
  static var form: String { "a time, such as 7:30 or 7pm; see carillon help times" }

  init(argument: String) throws(ArgumentProblem) {
    guard argument.utf8.count <= 20, let time = Self(spoken: argument.trimmed.lowercased()) else {
      throw ArgumentProblem("\"\(argument)\" is not a time from 00:00 to 23:59")
    }
    self = time
  }

  private init?(spoken text: String) {
    if let hour = ["midnight": 0, "noon": 12][text] {
      self.init(minute: hour * 60)
      return
    }
    let half = ["am", "pm"].first { text.hasSuffix($0) }
    let clock = half == nil ? text : String(text.dropLast(2)).trimmed
    let parts = clock.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "." }
    guard (1...2).contains(parts.count), parts[0].utf8.count <= 2,
      parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
      var hour = Int(digits: parts[0]),
      let minute = parts.count == 2 ? Int(digits: parts[1]) : 0, minute < 60
    else { return nil }
    if let half {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (half == "pm" ? 12 : 0)
    }
    guard hour < 24 else { return nil }
    self.init(minute: hour * 60 + minute)
  }
}

/// A comma-separated list of times of day.
struct TimeList: ArgumentValue {
  let times: [TimeOfDay]

  static let form =
    "times, such as 7:30 or 8am,noon, separated by commas; see carillon help times"

  init(argument: String) throws(ArgumentProblem) {
    var times: [TimeOfDay] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      times.append(try TimeOfDay(argument: String(part)))
    }
    self.times = times
  }
}

/// A daily range of times, such as `22-7` or `22:00-07:00`.
extension DayWindow: ArgumentValue {
  static var form: String {
    "two different times, such as 22-7 or 08:00-20:00; see carillon help times"
  }

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      throw ArgumentProblem("\"\(argument)\" is not two times separated by a dash")
    }
    let (from, to) = (try TimeOfDay(argument: parts[0]), try TimeOfDay(argument: parts[1]))
    guard let window = DayWindow(from: from, to: to) else {
      throw ArgumentProblem("\"\(argument)\": both times are \(from)")
    }
    self = window
  }
}
