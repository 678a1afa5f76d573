import CarillonDocuments

/// Moves global options from before or between the verb's words to after them, where the verb reads
/// them.
///
/// `carillon --json habit list` becomes `carillon habit list --json`. The words of values that need
/// no quotes are joined, see ``SpokenWords``.
struct ArgumentOrder {
  /// A verb's name and the verbs beneath it.
  struct Verb: Sendable {
    let name: String
    let verbs: [Verb]
  }

  /// The arguments with the global options after the verb's words.
  let arguments: [String]
  /// The leading words that name a verb, such as `habit` and `list`.
  let path: [String]
  /// The word in the place of a verb's name that names no verb, or nil.
  let unknownVerb: UnknownVerb?

  /// A word that names no verb.
  struct UnknownVerb {
    let word: String
    /// The verb's words before it.
    let path: [String]
    /// Whether no argument other than options follows it.
    let isLast: Bool
    /// The names of the verbs that could be in its place.
    fileprivate let verbs: [String]

    /// A verb with a similar name, or nil.
    var near: String? { word.nearest(of: verbs) }
  }

  /// The topic of `carillon help times`, which is no verb.
  static let topicOfTimes = "times"

  private static let withValue = ["--store", "--now", "--zone"]
  private static let flags = ["--json", "--quiet"]
  /// The options that all commands take.
  static let globals = Set(withValue + flags)

  /// Creates the order from the arguments after the program's name and the tree of verbs.
  init(_ given: [String], verbs: [Verb]) {
    let given = SpokenWords.joined(given)
    var path: [String] = []
    var moved: [String] = []
    var index = 0
    var verbs = verbs
    while index < given.count {
      let argument = given[index]
      if let count = Self.globalCount(argument) {
        moved += given[index..<min(index + count, given.count)]
        index += count
      } else if let verb = verbs.first(where: { $0.name == argument }) {
        path.append(argument)
        verbs = verb.verbs
        index += 1
      } else {
        break
      }
    }
    var words = given.dropFirst(index)
    let asksForHelp = words.first == "help" && !verbs.isEmpty
    if asksForHelp, path.isEmpty, Self.topic(words) == [Self.topicOfTimes] {
      (arguments, self.path, unknownVerb) = ([Self.topicOfTimes], [], nil)
      return
    }
    if asksForHelp {
      words = Self.topic(words)
      while let verb = verbs.first(where: { $0.name == words.first }) {
        path.append(verb.name)
        verbs = verb.verbs
        words = words.dropFirst()
      }
      arguments = path + words + ["--help"]
    } else {
      let rest = Self.joiningNegatives(words)
      // Without a verb nothing reads the global options: --version needs none.
      arguments = path.isEmpty ? rest : path + moved + rest
    }
    self.path = path
    unknownVerb = words.first.flatMap { word in
      // A word after a verb without subcommands is an argument, except in a request for help.
      verbs.isEmpty && !asksForHelp || word.hasPrefix("-")
        ? nil
        : UnknownVerb(
          word: word, path: path, isLast: words.dropFirst().first?.hasPrefix("-") ?? true,
          verbs: verbs.map(\.name))
    }
  }

  /// The words that a request for help names, without `help` itself and without global options.
  private static func topic(_ given: ArraySlice<String>) -> ArraySlice<String> {
    var (topic, rest): ([String], ArraySlice<String>) = ([], given)
    while let word = rest.first {
      let count = globalCount(word)
      if count == nil, !["help", "--help", "-h"].contains(word) { topic.append(word) }
      rest = rest.dropFirst(count ?? 1)
    }
    return topic[...]
  }

  /// Writes `--limit -1` as `--limit=-1`.
  ///
  /// A negative number is then read as the option's value and checked against its limits. No
  /// option's name begins with a digit.
  private static func joiningNegatives(_ given: ArraySlice<String>) -> [String] {
    var joined: [String] = []
    var options = given.prefix { $0 != "--" }
    while let argument = options.popFirst() {
      if argument.hasPrefix("--"), !argument.contains("="), let next = options.first,
        next.hasPrefix("-"), next.dropFirst().first?.isNumber == true
      {
        joined.append(argument + "=" + options.removeFirst())
      } else {
        joined.append(argument)
      }
    }
    return joined + given[options.endIndex...]
  }

  /// The number of arguments that a global option takes, including itself; nil for anything else.
  private static func globalCount(_ argument: String) -> Int? {
    if flags.contains(argument) { return 1 }
    if withValue.contains(argument) { return 2 }
    guard let equals = argument.firstIndex(of: "=") else { return nil }
    return withValue.contains(String(argument[..<equals])) ? 1 : nil
  }

  /// Whether a word looks like the letters of several options, such as a title `-dash`.
  ///
  /// No option but `-h` has a name of one letter. The parser also knows `-help`.
  static func isHyphenated(_ word: String) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && word.count > 2 && word != "-help"
  }

  /// The index of the first word that ``isHyphenated(_:)``; nil if there is none before `--`.
  var hyphenated: Int? {
    arguments.prefix { $0 != "--" }.firstIndex(where: Self.isHyphenated)
  }

  /// Whether the parser prints help only because it finds `-h` among the letters of a word.
  var isHelpByAccident: Bool {
    let options = arguments.prefix { $0 != "--" }
    return options.contains { Self.isHyphenated($0) && $0.contains("h") }
      && !options.contains { $0 == "-h" || $0.hasPrefix("--help") || $0 == "-help" }
  }

  /// The store that the arguments name, even if they are otherwise wrong.
  static func store(_ given: [String]) -> String? {
    let options = given.prefix { $0 != "--" }
    for (index, argument) in options.enumerated() {
      if argument == "--store" { return options.dropFirst(index + 1).first }
      if argument.hasPrefix("--store=") { return String(argument.dropFirst("--store=".count)) }
    }
    return nil
  }

  /// Whether the arguments request JSON, even if they are otherwise wrong.
  static func asksForJSON(_ given: [String]) -> Bool {
    given.prefix { $0 != "--" }.contains("--json")
  }
}
