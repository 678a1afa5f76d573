import Carillon
import CarillonModel

/// Joins the words of a date, a time or a duration that is written without quotes, such as
/// `--on last friday`, `--every 3 days` or `--at 7 pm`.
enum SpokenWords {
  /// Returns the arguments in which each value of an option is one argument.
  ///
  /// The value of an option extends over the next words if the first one alone is no value, if
  /// `am`, `pm`, `ago` or `at` follows, or if the option takes a moment. It is the longest text
  /// that is a value; if there is none, the words stay as they are.
  static func joined(_ given: [String]) -> [String] {
    var joined: [String] = []
    var rest = given.prefix { $0 != "--" }
    while let option = rest.popFirst() {
      joined.append(option)
      guard let kind = Kind(option), let word = rest.first, !word.hasPrefix("-") else { continue }
      let count = kind.count(in: rest.prefix { !$0.hasPrefix("-") })
      joined.append(count == 1 ? word : rest.prefix(count).joined(separator: " "))
      rest = rest.dropFirst(count)
    }
    return joined + given[rest.endIndex...]
  }

  /// Returns the number of the first words that together are a value, the most that are; or nil.
  static func count(
    in words: ArraySlice<String>, where isValue: (String) -> Bool
  ) -> Int? {
    (1...maxCount).reversed().first { count in
      count <= words.count && isValue(words.prefix(count).joined(separator: " "))
    }
  }

  private static let maxCount = 5
  /// Words that belong to the one before.
  private static let continuations = ["am", "pm", "ago", "at"]

  /// What an option takes.
  private enum Kind {
    case dates, times, moment, end, days, duration

    init?(_ option: String) {
      switch option {
      case "--on", "--from", "--to", "--start", "--end": self = .dates
      case "--at": self = .times
      case "--once", "--now": self = .moment
      case "--until": self = .end
      case "--every": self = .days
      case "--for", "--interval", "--after-done", "--before", "--after", "--duration":
        self = .duration
      default: return nil
      }
    }

    /// Returns the number of words of the value; 1 for a word that begins no value.
    func count(in words: ArraySlice<String>) -> Int {
      guard words.count > 1 else { return 1 }
      let next = words.dropFirst().first?.lowercased() ?? ""
      let isMore =
        !takes(words.first ?? "") || SpokenWords.continuations.contains(next) || self == .moment
        || self == .end
      return isMore ? SpokenWords.count(in: words, where: takes) ?? 1 : 1
    }

    private func takes(_ text: String) -> Bool {
      switch self {
      case .dates:
        (try? DateList(argument: text)) != nil || (try? WeekdayList(argument: text)) != nil
          // A number alone begins a date, such as `2 days ago`.
          || Int(digits: text) == nil && (try? InstantText(argument: text)) != nil
      case .times:
        (try? TimeList(argument: text)) != nil || (try? InstantText(argument: text)) != nil
      case .moment: (try? OnceText(argument: text)) != nil
      case .end: (try? EndText(argument: text)) != nil
      case .days: (try? DayInterval(argument: text)) != nil
      case .duration:
        (try? DurationText(argument: text)) != nil || (try? DateText(argument: text)) != nil
      }
    }
  }
}
