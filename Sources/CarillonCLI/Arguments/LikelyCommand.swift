import Carillon

/// The command that a person probably meant by one that was refused, for its hint.
enum LikelyCommand {
  /// Words that are no verbs, and the verbs that do what they say.
  private static let synonyms = [
    "unskip": ["undo"], "undone": ["undo"], "unpause": ["habit", "resume"],
  ]

  /// Returns the command for a word that is no verb in its place, with the words after it: a
  /// synonym, a verb of a group such as `habit pause`, or a verb of no group.
  ///
  /// - Returns: The command, without the words after it if they do not fit; nil if there is none.
  static func text(for unknown: ArgumentOrder.UnknownVerb, in arguments: [String]) -> String? {
    guard let verb = verb(for: unknown) else { return nil }
    let rest = arguments.drop { $0 != unknown.word }.dropFirst()
    return text(verb + rest) ?? (["carillon"] + verb).joined(separator: " ")
  }

  private static func verb(for unknown: ArgumentOrder.UnknownVerb) -> [String]? {
    let (word, verbs) = (unknown.word, CommandRunner.verbs)
    guard unknown.path.isEmpty else {
      return verbs.contains { $0.name == word && $0.verbs.isEmpty } ? [word] : nil
    }
    if let verb = synonyms[word] { return verb }
    let groups = verbs.filter { $0.verbs.contains { $0.name == word } }.map(\.name)
    let group = groups.contains("habit") ? "habit" : groups.count == 1 ? groups[0] : nil
    return group.map { [$0, word] }
  }

  /// Returns the command in which words such as `yesterday`, `3` or `30m` are values of the options
  /// that take them, as in `carillon done Walk --on yesterday`.
  ///
  /// - Parameters:
  ///   - order: The arguments that were refused.
  ///   - isWrong: Whether a word may be the reason.
  /// - Returns: The command, which parses; nil if no word fits an option.
  static func text(_ order: ArgumentOrder, isWrong: (String) -> Bool = { _ in true }) -> String? {
    var (words, moved, options) = ([String](), [String](), [String]())
    var hasWrong = false
    var rest = order.arguments.dropFirst(order.path.count)
    while let word = rest.popFirst() {
      if word.hasPrefix("-") {
        options.append(word)
        if !word.contains("="), !flags.contains(word), let value = rest.popFirst() {
          options.append(value)
        }
      } else if !words.isEmpty, let option = Option(for: word, path: order.path) {
        moved += [option.rawValue, word]
        hasWrong = hasWrong || isWrong(word)
      } else {
        words.append(word)
      }
    }
    return hasWrong ? text(order.path + words + moved + options) : nil
  }

  /// The options without a value of the verbs whose words are moved.
  private static let flags = ["--json", "--quiet", "--all", "--undo"]

  /// Returns a command as it can be pasted, or nil if its arguments are wrong.
  private static func text(_ arguments: [String]) -> String? {
    let order = ArgumentOrder(arguments, verbs: CommandRunner.verbs)
    guard arguments.allSatisfy({ $0 == $0.printable }),
      (try? CommandRunner.parse(order)) != nil
    else { return nil }
    return (["carillon"] + arguments.map(NextCommand.quoted)).joined(separator: " ")
  }

  /// An option for which people write its value alone, in the order of preference.
  private enum Option: String, CaseIterable {
    case amount = "--amount"
    case on = "--on"
    case at = "--at"
    case duration = "--for"
    case until = "--until"
    case to = "--to"

    /// The option of a verb that takes a word, or nil.
    init?(for word: String, path: [String]) {
      let option = Self.allCases.first { $0.belongs(to: path) && $0.takes(word) }
      guard let option else { return nil }
      self = option
    }

    private func belongs(to path: [String]) -> Bool {
      switch self {
      case .amount, .at: path == ["done"]
      case .on: ["done", "undo", "skip", "note", "explain"].contains(path.joined(separator: " "))
      case .duration, .until: path == ["snooze"]
      case .to: path == ["habit", "pause"]
      }
    }

    private func takes(_ word: String) -> Bool {
      switch self {
      case .amount: (try? Amount(argument: word)) != nil
      case .on, .to: (try? DateText(argument: word)) != nil
      case .at, .until: (try? InstantText(argument: word)) != nil
      case .duration: (try? DurationText(argument: word)) != nil
      }
    }
  }
}
