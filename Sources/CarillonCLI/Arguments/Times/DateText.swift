import Carillon
import CarillonDocuments
import CarillonModel

/// A date, or several with commas, such as `wed,thu`.
struct DateList: ArgumentValue {
  let dates: [DateText]

  static let form = DateText.form

  init(argument: String) throws(ArgumentProblem) {
    // `nov 20, 2026` is one date.
    if let date = try? DateText(argument: argument) {
      dates = [date]
      return
    }
    var dates: [DateText] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      dates.append(try DateText(argument: String(part).trimmed))
    }
    self.dates = dates
  }
}

/// A date as people write it: `yesterday`, `2 days ago`, `mon`, `last fri`, `20 Nov`, `20.11.2026`
/// or `2026-11-20`.
struct DateText: ArgumentValue {
  /// The side of today on which a weekday, or a date without its year, is searched.
  enum Direction {
    /// The latest on or before today, for commands about what was done.
    case past
    /// The first on or after today, for all other commands.
    case future
  }

  private enum Form: Equatable {
    case date(CivilDate)
    /// A number of days after today.
    case day(Int)
    case weekday(Weekday)
    /// The latest before today, or the first after it.
    case otherWeekday(Weekday, Direction)
    case dayOfYear(month: Int, day: Int)
  }

  private let form: Form

  static let form = "a date, such as yesterday or 2026-11-20; see carillon help times"

  init(argument: String) throws(ArgumentProblem) {
    guard argument.utf8.count <= 40 else {
      throw ArgumentProblem("a text of \(argument.utf8.count) bytes is not a date")
    }
    let text = argument.lowercased()
    if let day = ["yesterday": -1, "today": 0, "tomorrow": 1][text] {
      form = .day(day)
    } else if let weekday = Weekday(word: text) {
      form = .weekday(weekday)
    } else if let form = Self.otherWeekday(text) {
      self.form = form
    } else if let days = try Self.distance(text) {
      form = .day(days)
    } else if let form = try Self.namedMonth(text, argument) {
      self.form = form
    } else if let form = try Self.numbers(text, argument) {
      self.form = form
    } else {
      throw ArgumentProblem("\"\(argument)\" is not a calendar date")
    }
    if case .date(let date) = form, !CivilDate.accepted.contains(date) {
      throw ArgumentProblem(
        "\(date) is out of range; \(CivilDate.accepted.lowerBound) to "
          + "\(CivilDate.accepted.upperBound) is allowed")
    }
  }

  /// Returns the date.
  func date(_ direction: Direction, today: CivilDate) -> CivilDate {
    switch form {
    case .date(let date): return date
    case .day(let days): return today.adding(days: days)
    case .weekday(let weekday):
      let ahead = (Int(weekday.rawValue) - Int(today.weekday.rawValue) + 7) % 7
      return today.adding(days: direction == .future || ahead == 0 ? ahead : ahead - 7)
    case .otherWeekday(let weekday, let direction):
      let ahead = (Int(weekday.rawValue) - Int(today.weekday.rawValue) + 7) % 7
      let next = ahead == 0 ? 7 : ahead
      return today.adding(days: direction == .future ? next : ahead - 7)
    case .dayOfYear(let month, let day):
      let year = today.components.year
      // A leap day comes at most 8 years after another.
      let years = (0...8).map { direction == .future ? year + $0 : year - $0 }
      let dates = years.lazy.compactMap { CivilDate(year: $0, month: month, day: day) }
      return dates.first { direction == .future ? $0 >= today : $0 <= today } ?? today
    }
  }

  // MARK: - Parsing

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// Parses `last friday` and `next fri`; nil for another form.
  private static func otherWeekday(_ text: String) -> Form? {
    for (word, direction) in [("last ", Direction.past), ("next ", .future)]
    where text.hasPrefix(word) {
      return Weekday(word: String(text.dropFirst(word.count)).trimmed)
        .map { .otherWeekday($0, direction) }
    }
    return nil
  }

  /// Returns the days from today of `2 days ago` or `in a week`; nil for another form.
  private static func distance(_ text: String) throws(ArgumentProblem) -> Int? {
    let isAgo = text.hasSuffix(" ago")
    guard isAgo || text.hasPrefix("in ") else { return nil }
    var length = (isAgo ? String(text.dropLast(4)) : String(text.dropFirst(3))).trimmed
    if length.hasPrefix("a ") { length = String(length.dropFirst(2)) }
    let days = try DayInterval(argument: length).days
    return isAgo ? -days : days
  }

  /// Parses `20 nov`, `nov 20` and both with a year; nil for another form.
  private static func namedMonth(
    _ text: String, _ given: String
  ) throws(ArgumentProblem) -> Form? {
    let words = text.split { $0 == " " || $0 == "," }.map(String.init)
    guard (2...3).contains(words.count),
      let place = words.prefix(2).firstIndex(where: { month($0) != nil }),
      let month = month(words[place]), let day = Int(digits: words[1 - place]), day < 100
    else { return nil }
    return try checked(given, day, month, words.count == 3 ? words[2] : nil)
  }

  private static func month(_ word: String) -> Int? {
    guard word.utf8.count >= 3 else { return nil }
    return months.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
  }

  /// Parses `2026-11-20`, `20.11.2026`, `20/11` and their like; nil for another form.
  private static func numbers(_ text: String, _ given: String) throws(ArgumentProblem) -> Form? {
    guard let separator = text.first(where: { "-./".contains($0) }) else { return nil }
    var parts = text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    if separator == ".", parts.count == 3, parts[2].isEmpty { parts.removeLast() }
    let digits = parts.compactMap { Int(digits: $0) }
    guard digits.count == parts.count, (2...3).contains(parts.count) else { return nil }
    if parts.count == 3, parts[0].utf8.count == 4 {
      guard let date = CivilDate(year: digits[0], month: digits[1], day: digits[2]) else {
        return nil
      }
      return .date(date)
    }
    guard parts[0].utf8.count <= 2, parts[1].utf8.count <= 2 else { return nil }
    let year = parts.count == 3 ? parts[2] : nil
    let (first, second) = (digits[0], digits[1])
    if separator != ".", first <= 12, second <= 12, first != second {
      throw ambiguity(given, first, second, year)
    }
    // With dots, the day is always first.
    let isDayFirst = separator == "." || second <= 12
    return try checked(given, isDayFirst ? first : second, isDayFirst ? second : first, year)
  }

  private static func checked(
    _ given: String, _ day: Int, _ month: Int, _ year: String?
  ) throws(ArgumentProblem) -> Form? {
    guard let year else {
      // 2000 is a leap year.
      return CivilDate(year: 2000, month: month, day: day).map { _ in
        .dayOfYear(month: month, day: day)
      }
    }
    guard year.utf8.count == 4, let number = Int(digits: year) else {
      throw ArgumentProblem("\"\(given)\": the year \"\(year)\" does not have four digits")
    }
    return CivilDate(year: number, month: month, day: day).map { .date($0) }
  }

  /// Returns the problem of a date whose day and month cannot be told apart.
  private static func ambiguity(
    _ given: String, _ first: Int, _ second: Int, _ year: String?
  ) -> ArgumentProblem {
    func written(_ day: Int, _ month: Int) -> String {
      if let year = year.flatMap({ Int(digits: $0) }),
        let date = CivilDate(year: year, month: month, day: day)
      {
        return date.description
      }
      return month == 0 ? "\(day)" : "\(day) \(LocalTime.monthName(month))"
    }
    return ArgumentProblem(
      "\"\(given)\" has two readings; write \(written(first, second)) or "
        + "\(written(second, first))")
  }
}
