import Carillon
import CarillonDocuments
import CarillonModel

extension Weekday {
  /// Parses a weekday's name, or its first three letters or more, in lower case.
  init?(word: some StringProtocol) {
    let word = String(word)
    guard word.utf8.count >= 3,
      let index = Self.names.firstIndex(where: { $0.hasPrefix(word) })
    else { return nil }
    self = Self.allCases[index]
  }

  /// The names, in the order of the days.
  private static let names = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
}

/// A comma-separated list of weekdays, ranges of weekdays and their names; never empty.
struct WeekdayList: ArgumentValue {
  let days: Set<Weekday>

  static let form =
    "weekdays, such as mon,wed-fri or weekends; see carillon help times"

  private static let groups: [String: Set<Weekday>] = [
    "daily": Set(Weekday.allCases), "everyday": Set(Weekday.allCases),
    "every day": Set(Weekday.allCases),
    "weekdays": [.monday, .tuesday, .wednesday, .thursday, .friday],
    "weekends": [.saturday, .sunday],
  ]

  init(argument: String) throws(ArgumentProblem) {
    guard !argument.isEmpty else {
      throw ArgumentProblem("the list of weekdays is empty; at least one is required")
    }
    var days: Set<Weekday> = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      days.formUnion(try Self.days(of: String(part)))
    }
    self.days = days
  }

  /// Returns the days of a group, one day, or the days of a range; `sat-mon` goes over the end of
  /// the week.
  private static func days(of given: String) throws(ArgumentProblem) -> Set<Weekday> {
    let text = given.trimmed.lowercased()
    if let group = groups[text] ?? groups[text + "s"] { return group }
    var bounds: [Weekday] = []
    for name in text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false) {
      guard let day = Weekday(word: name) else {
        throw ArgumentProblem("\"\(given)\" is not a weekday")
      }
      bounds.append(day)
    }
    let (first, last) = (bounds[0], bounds[bounds.count - 1])
    return Set(
      Weekday.allCases.filter {
        first <= last ? (first...last).contains($0) : $0 >= first || $0 <= last
      })
  }
}
