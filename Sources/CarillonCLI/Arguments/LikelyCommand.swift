import Carillon
import CarillonDocuments
import CarillonModel

/// The command that a person probably meant by one that was refused, for its hint.
enum LikelyCommand {
  /// Words that name no verb, and the verbs that do what they say: the first one whose arguments
  /// fit is meant.
  private static let synonyms: [[String]: [[String]]] = [
    ["unskip"]: [["undo"]], ["undone"]: [["undo"]], ["unpause"]: [["habit", "resume"]],
    ["check"]: [["done"]], ["complete"]: [["done"]],
    ["new"]: [["habit", "add"]], ["create"]: [["habit", "add"]],
    ["habit", "new"]: [["habit", "add"]], ["habit", "create"]: [["habit", "add"]],
    ["ls"]: [["habit", "list"]], ["habit", "ls"]: [["habit", "list"]],
    ["habit", "rename"]: [["habit", "edit"]],
    ["rm"]: [["habit", "delete"]], ["remove"]: [["habit", "delete"]],
    ["habit", "rm"]: [["habit", "delete"]], ["habit", "remove"]: [["habit", "delete"]],
    ["schedule", "list"]: [["habit", "show"], ["habit", "list"]],
    ["schedule", "show"]: [["habit", "show"], ["habit", "list"]],
    ["schedule", "delete"]: [["schedule", "remove"]],
    ["entry", "delete"]: [["entry", "remove"]], ["entries"]: [["entry", "list"]],
  ]

  /// Returns the command for a word that is no verb in its place, with the words after it: a
  /// synonym, a verb of a group such as `habit pause`, or a verb of no group.
  ///
  /// - Returns: The command, without the words after it if they do not fit; nil if there is none.
  static func text(for unknown: ArgumentOrder.UnknownVerb, in arguments: [String]) -> String? {
    var rest = Array(arguments.drop { $0 != unknown.word }.dropFirst())
    if unknown.path + [unknown.word] == ["habit", "rename"],
      rest.prefix(while: { !$0.hasPrefix("-") }).count == 2
    {
      rest.insert("--title", at: 1)
    }
    let verbs = synonyms[unknown.path + [unknown.word]] ?? verb(for: unknown).map { [$0] } ?? []
    return verbs.lazy.compactMap { likely($0 + rest) ?? text($0 + rest) }.first
      ?? verbs.last.map { (["carillon"] + $0).joined(separator: " ") }
  }

  /// Returns the command that is meant by a verb with arguments that do not fit it.
  private static func likely(_ arguments: [String]) -> String? {
    text(ArgumentOrder(arguments, verbs: CommandRunner.verbs))
  }

  private static func verb(for unknown: ArgumentOrder.UnknownVerb) -> [String]? {
    let (word, verbs) = (unknown.word, CommandRunner.verbs)
    if unknown.path == ["settings"], (try? SettingName(argument: word)) != nil {
      // `settings quietHours 22-7` sets it, and without a value shows it.
      return ["settings", unknown.isLast ? "show" : "set", word]
    }
    guard unknown.path.isEmpty else {
      return verbs.contains { $0.name == word && $0.verbs.isEmpty } ? [word] : nil
    }
    let groups = verbs.filter { $0.verbs.contains { $0.name == word } }.map(\.name)
    let group = groups.contains("habit") ? "habit" : groups.count == 1 ? groups[0] : nil
    return group.map { [$0, word] }
  }

  /// Returns the command in which words such as `yesterday`, `3` or `2 days ago` are values of the
  /// options that take them, as in `carillon done Walk --on yesterday`, in which the words of a
  /// new habit's title are quoted, or in which a ``LikelyOption`` is in the place of another.
  ///
  /// - Parameters:
  ///   - order: The arguments that were refused.
  ///   - isWrong: Whether a word may be the reason.
  /// - Returns: The command, which parses; nil if no word fits an option.
  static func text(_ order: ArgumentOrder, isWrong: (String) -> Bool = { _ in true }) -> String? {
    if let repeated = repeated(order.arguments) { return text(repeated) }
    var (words, moved, options) = ([String](), [String](), [String]())
    var hasWrong = false
    var rest = order.arguments.dropFirst(order.path.count)
    while let word = rest.first {
      if word.hasPrefix("-") {
        options.append(rest.removeFirst())
        if !word.contains("="), !flags.contains(word), let value = rest.popFirst() {
          options.append(value)
        }
      } else if !words.isEmpty || order.path == ["export"],
        let (option, count) = Option.first(in: rest.prefix { !$0.hasPrefix("-") }, order.path)
      {
        // The word before may name the option, as in `done Walk on friday`.
        if words.count > 1, option.rawValue == "--" + (words.last ?? "") {
          hasWrong = isWrong(words.removeLast()) || hasWrong
        }
        moved += [option.rawValue, rest.prefix(count).joined(separator: " ")]
        hasWrong = hasWrong || rest.prefix(count).contains(where: isWrong)
        rest = rest.dropFirst(count)
      } else {
        words.append(rest.removeFirst())
      }
    }
    if order.path == ["habit", "add"], words.count > 1 {
      (words, hasWrong) = ([words.joined(separator: " ")], true)
    }
    if hasWrong, let moved = text(order.path + words + moved + options) { return moved }
    return LikelyOption.renamed(order.arguments).lazy.compactMap { text($0) }.first
  }

  /// Returns the arguments with `--repeat` where `--again` has a number of repeats; nil if there is
  /// none.
  private static func repeated(_ arguments: [String]) -> [String]? {
    guard let again = arguments.firstIndex(of: "--again"),
      arguments.indices.contains(again + 1),
      (try? RepeatText(argument: arguments[again + 1])) != nil
    else { return nil }
    var arguments = arguments
    arguments[again] = "--repeat"
    return arguments
  }

  /// Returns how to write a text that begins with a hyphen, if such a text is what is wrong: the
  /// value of an option, a title, or the text of a note.
  static func hint(hyphensIn order: ArgumentOrder) -> String? {
    let arguments = order.arguments
    for (option, value) in zip(arguments, arguments.dropFirst())
    where texts.contains(option) && value.hasPrefix("-") && value != "--" {
      return "write a text that begins with a hyphen after an equals sign: "
        + "\(option)=\(ShellWord.quoted(value))"
    }
    guard let first = order.hyphenated else { return nil }
    let words = arguments[first...].prefix {
      !$0.hasPrefix("-") || ArgumentOrder.isHyphenated($0)
    }
    // The options after the words come before the two hyphens, which end all options.
    let moved = arguments[..<first] + arguments[words.endIndex...] + ["--"] + words
    return text(Array(moved)).map { "write -- before a text that begins with a hyphen: \($0)" }
  }

  /// The options whose values are free texts.
  private static let texts = [
    "--note", "--notes", "--question", "--title", "--body", "--unit", "--group",
  ]

  /// The options without a value of the verbs whose words are moved.
  private static let flags = ["--json", "--quiet", "--all", "--undo", "--again"]

  /// Returns a command as it can be pasted, or nil if its arguments are wrong.
  private static func text(_ arguments: [String]) -> String? {
    let order = ArgumentOrder(arguments, verbs: CommandRunner.verbs)
    guard arguments.allSatisfy({ $0 == $0.printable }), !order.isHelpByAccident,
      (try? CommandRunner.parse(order)) != nil
    else { return nil }
    return ShellWord.joined(["carillon"] + arguments)
  }

  /// An option for which people write its value alone, in the order of preference.
  private enum Option: String, CaseIterable {
    case amount = "--amount"
    case every = "--every"
    case on = "--on"
    case at = "--at"
    case duration = "--for"
    case until = "--until"
    case to = "--to"
    case format = "--format"

    /// Returns the option of a verb that takes the first words, and how many it takes; or nil.
    static func first(
      in words: ArraySlice<String>, _ path: [String]
    ) -> (option: Option, count: Int)? {
      let options = allCases.filter { $0.belongs(to: path) }
      let taking = options.lazy.compactMap { option in
        SpokenWords.count(in: words) { option.takes($0, isNew: path == ["habit", "add"]) }
          .map { (option, $0) }
      }
      return taking.max { $0.1 < $1.1 }
    }

    private func belongs(to path: [String]) -> Bool {
      switch self {
      case .amount: path == ["done"]
      case .at: path == ["done"] || path == ["habit", "add"]
      case .every: path == ["habit", "add"]
      case .on:
        ["done", "undo", "skip", "explain", "habit add"].contains(path.joined(separator: " "))
      case .duration, .until: path == ["snooze"]
      case .to: path == ["habit", "pause"]
      case .format: path == ["export"]
      }
    }

    /// - Parameter isNew: Whether the words follow the title of a new habit, which may have numbers
    ///   and dates.
    private func takes(_ word: String, isNew: Bool) -> Bool {
      switch self {
      case .on where isNew: (try? WeekdayList(argument: word)) != nil
      case .at where isNew: Int(digits: word) == nil && (try? TimeList(argument: word)) != nil
      case .every:
        word.lowercased().hasPrefix("every ") && (try? DayInterval(argument: word)) != nil
      case .format: ExportCommand.Format(rawValue: word.lowercased()) != nil
      case .amount: (try? Amount(argument: word)) != nil
      case .on, .to: (try? DateText(argument: word)) != nil
      // A date of several words goes to `--on`.
      case .at where word.contains(" "): (try? TimeOfDay(argument: word)) != nil
      case .at, .until: (try? InstantText(argument: word)) != nil
      case .duration: (try? DurationText(argument: word)) != nil
      }
    }
  }
}
