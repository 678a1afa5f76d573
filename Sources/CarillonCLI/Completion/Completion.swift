import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// What a shell can insert for the last of some words.
struct Completion {
  /// The candidates, not yet quoted for a shell.
  enum Candidates: Equatable {
    case words([String])
    case directories, files
    /// Things of the store, by the name of the argument: `habit`, `schedule` or `replica`.
    case things(String)
  }

  /// The words before the last one, without the program's name.
  let before: [String]
  /// The last word as far as it is written, without quotes.
  let current: String

  /// Answers a completion script: one candidate a line; nothing for any error.
  ///
  /// - Parameter given: The shell and the words up to the cursor.
  static func answer(_ given: [String]) async -> String {
    guard let shell = given.first.flatMap(CompletionScript.init(rawValue:)),
      let tree = try? Tree.carillon()
    else { return "" }
    let words = given.dropFirst().map { shell == .fish ? $0 : unquoted($0) }.joiningValues
    let completion = Completion(before: words.dropLast(), current: words.last ?? "")
    switch await completion.candidates(in: tree) {
    case .directories: return ":directories\n"
    case .files: return ":files\n"
    case .words(let words):
      return lines(words.filter { $0.hasPrefix(completion.current) }, shell, given.last ?? "")
    case .things(let kind):
      let titles = await completion.things(kind)
      return lines(titles, shell, given.last ?? "")
    }
  }

  /// Returns the candidates for the last word.
  func candidates(in tree: Tree) async -> Candidates {
    var (tree, words) = (tree, before[...])
    let isHelp = words.first == "help"
    if isHelp { words.removeFirst() }
    var (isRoot, positional) = (true, 0)
    let globals = tree.global
    while let word = words.popFirst() {
      if word.hasPrefix("-") {
        guard let option = tree.options(globals).first(where: { $0.spellings.contains(word) }),
          option.kind == "option"
        else { continue }
        guard !words.isEmpty else { return option.candidates }
        words.removeFirst()
      } else if let next = tree.subcommands.first(where: { $0.isNamed(word) }) {
        (tree, isRoot) = (await next.described, false)
      } else {
        positional += 1
      }
    }
    if current.hasPrefix("-") {
      let options = tree.options(globals).filter(\.isShown)
      return .words(options.flatMap(\.spellings).filter { $0.hasPrefix("--") })
    }
    guard tree.subcommands.isEmpty else {
      let topics = isHelp && isRoot ? [ArgumentOrder.topicOfTimes] : isRoot ? ["help"] : []
      return .words(tree.subcommands.map(\.name) + (positional == 0 ? topics : []))
    }
    guard !isHelp else { return .words([]) }
    let places = tree.arguments.filter { $0.kind == "positional" }
    guard let place = places.dropFirst(positional).first ?? places.last, !places.isEmpty,
      positional < places.count || place.isRepeating
    else { return .words([]) }
    return place.candidates
  }

  /// Returns the titles, IDs or names of the store that the last word may begin.
  private func things(_ kind: String) async -> [String] {
    do {
      let call = try Call(GlobalValues(store: ArgumentOrder.store(before), quiet: true))
      return try await call.withStore { store in
        switch kind {
        case "replica":
          return try await store.replicas().map(\.name).filter { $0.hasPrefix(current) }
        case "schedule":
          let habits = try await store.habits()
          let ids = habits.flatMap(\.schedules).map(\.id.description)
            .filter { $0.hasPrefix(current.lowercased()) }
          let only = titles(of: habits.filter { $0.schedules.count == 1 })
          return only + (current.isEmpty && !only.isEmpty ? [] : ids)
        default:
          let verbs = before.filter { !$0.hasPrefix("-") }
          let wantsDeleted = verbs.starts(with: ["habit", "restore"])
          let wantsArchived = verbs.starts(with: ["habit", "unarchive"])
          return titles(
            of: try await store.habits(
              includingArchived: wantsArchived, includingDeleted: wantsDeleted
            ).filter { $0.isDeleted == wantsDeleted && (!wantsArchived || $0.isArchived) })
        }
      }
    } catch {
      // A completion has no place for an error; the command itself reports it.
      return []
    }
  }

  /// Returns the titles that begin with the last word; if there are none, those of which a word
  /// does.
  private func titles(of habits: [Habit]) -> [String] {
    let (titles, folded) = (habits.map(\.title).filter { $0.printable == $0 }, current.folded)
    let beginning = titles.filter { $0.folded.hasPrefix(folded) }
    return beginning.isEmpty ? titles.filter { $0.folded.contains(" " + folded) } : beginning
  }

  /// Returns the candidates as a shell reads them, one a line.
  private static func lines(_ words: [String], _ shell: CompletionScript, _ written: String)
    -> String
  {
    // Within quotes bash inserts a candidate as it is; zsh and fish quote it themselves.
    let isQuoted = written.hasPrefix("\"") || written.hasPrefix("'")
    return words.map { (shell == .bash && !isQuoted ? escaped($0) : $0) + "\n" }.joined()
  }

  /// Returns a word with a backslash before each character that a shell would interpret.
  private static func escaped(_ word: String) -> String {
    word.unicodeScalars.map { scalar in
      let isPlain =
        scalar.value > 0x7F || scalar.properties.isAlphabetic
        || "0123456789_./~+@%,:=-".unicodeScalars.contains(scalar)
      return (isPlain ? "" : "\\") + String(scalar)
    }.joined()
  }

  /// Returns a word of a command line without its quotes and backslashes.
  private static func unquoted(_ word: String) -> String {
    var (text, quote, isEscaped): (String, Character?, Bool) = ("", nil, false)
    for character in word {
      if isEscaped {
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      } else {
        text.append(character)
      }
    }
    return text
  }
}

extension Completion {
  /// A command with its arguments, as the parser describes itself.
  struct Tree: Decodable {
    let commandName: String
    private let aliases: [String]
    private let shown: [Tree]
    private let defaultSubcommand: String?
    let arguments: [Argument]

    var name: String { commandName }
    var subcommands: [Tree] { shown }

    func isNamed(_ word: String) -> Bool { name == word || aliases.contains(word) }

    /// Returns the arguments; those of a group are those of its default command, or else also the
    /// options that all commands take, which a group does not list.
    func options(_ globals: [Argument]) -> [Argument] {
      guard !subcommands.isEmpty else { return arguments }
      let usual = subcommands.first { $0.name == defaultSubcommand }
      return usual?.arguments ?? arguments + globals
    }

    /// This command; for one that passes all its arguments on to another program, what that program
    /// says of itself.
    var described: Tree {
      get async {
        guard arguments.contains(where: \.isPassedOn), let path = Bundle.main.executablePath,
          let dump = try? await Subprocess.run(
            .path(FilePath(path)), arguments: [name, "--experimental-dump-help"],
            output: .bytes(limit: 1 << 20)),
          let root = try? JSONDecoder().decode(Root.self, from: Data(dump.standardOutput))
        else { return self }
        return root.command
      }
    }

    /// The options that all commands take, as the first of them describes them.
    var global: [Argument] {
      guard let leaf = subcommands.first(where: { $0.subcommands.isEmpty }) else { return [] }
      return leaf.arguments.filter { !ArgumentOrder.globals.isDisjoint(with: $0.spellings) }
    }

    private enum Keys: String, CodingKey {
      case commandName, aliases, subcommands, defaultSubcommand, arguments
    }

    private struct Root: Decodable {
      let command: Tree
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Keys.self)
      commandName = try values.decode(String.self, forKey: .commandName)
      aliases = try values.decodeIfPresent([String].self, forKey: .aliases) ?? []
      let all = try values.decodeIfPresent([Tree].self, forKey: .subcommands) ?? []
      shown = all.filter { !["help", ArgumentOrder.topicOfTimes].contains($0.commandName) }
      arguments = try values.decodeIfPresent([Argument].self, forKey: .arguments) ?? []
      defaultSubcommand = try values.decodeIfPresent(String.self, forKey: .defaultSubcommand)
    }

    static func carillon() throws -> Tree {
      try JSONDecoder().decode(Root.self, from: Data(CarillonCommand._dumpHelp().utf8)).command
    }
  }

  /// An option, a flag or an argument of a command.
  struct Argument: Decodable {
    let kind: String
    let isRepeating: Bool
    let valueName: String?
    private let names: [Name]?
    private let allValues: [String]?
    private let completionKind: Kind?
    private let parsingStrategy: String?
    private let shouldDisplay: Bool?

    private struct Name: Decodable {
      let kind: String
      let name: String
    }

    private struct Kind: Decodable {
      let list: Values?
      let directory: Nothing?
      let file: Nothing?

      struct Values: Decodable {
        let values: [String]
      }

      struct Nothing: Decodable {}
    }

    /// The names with their dashes.
    var spellings: [String] {
      (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
    }

    var isShown: Bool { shouldDisplay ?? true }

    /// Whether it takes all that follows, options too, for another program.
    var isPassedOn: Bool { parsingStrategy == "allRemainingInput" }

    /// What the value may be.
    var candidates: Candidates {
      if let values = completionKind?.list?.values ?? allValues { return .words(values) }
      if completionKind?.directory != nil { return .directories }
      if completionKind?.file != nil { return .files }
      switch valueName {
      case "habit", "schedule", "replica": return .things(valueName ?? "")
      case "path", "file": return .files
      default: return .words([])
      }
    }
  }
}

extension [String] {
  /// The words with each `--option`, `=` and value as one word; bash splits them.
  fileprivate var joiningValues: [String] {
    var words: [String] = []
    for word in self {
      let isValue = words.count > 1 && words.last == "=" && words[words.count - 2].hasPrefix("--")
      guard isValue else {
        words.append(word)
        continue
      }
      words.removeLast()
      words[words.count - 1] += "=" + word
    }
    return words
  }
}
