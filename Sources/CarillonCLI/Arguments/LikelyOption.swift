import CarillonModel

/// The options that a person probably meant by others that the verb does not have.
enum LikelyOption {
  /// Options of other programs and of everyday words, and the options that do what they say.
  ///
  /// The first one that the verb has is meant. An empty name stands for the default, which needs
  /// no option.
  private static let synonyms = [
    "--time": ["--at", "--for"], "--times": ["--at", "--goal", "--amount"], "--hour": ["--at"],
    "--date": ["--on", "--once"], "--day": ["--on"], "--days": ["--on"], "--weekdays": ["--on"],
    "--when": ["--at", "--on"], "--daily": [""], "--everyday": [""],
    "--count": ["--amount", "--target"], "--number": ["--amount", "--target"],
    "--minutes": ["--for"], "--note": ["--notes"], "--notes": ["--note"],
    "--comment": ["--note", "--notes"], "--message": ["--note", "--body"], "--text": ["--body"],
    "--name": ["--title", "--replica"], "--since": ["--from"], "--max": ["--at-most"],
    "--tag": ["--group"], "--category": ["--group"], "--priority": ["--level"],
    "--tz": ["--zone"], "--timezone": ["--zone"], "--time-zone": ["--zone"],
    "--dir": ["--store"], "--directory": ["--store"], "--db": ["--store"], "--path": ["--store"],
    "--archived": ["--all"], "--force": ["--again"],
  ]

  /// More than this many options with synonyms are left as they are.
  private static let mostRenamed = 4

  /// Returns the arguments with options that have synonyms in place of others: those with the
  /// fewest changes first, each in the order of preference.
  static func renamed(_ arguments: [String]) -> [[String]] {
    if let setting = setting(arguments) { return [setting] }
    var variants: [(arguments: [String], changes: Int)] = [([], 0)]
    var renamed = 0
    for (index, argument) in arguments.enumerated() {
      let value = arguments.indices.contains(index + 1) ? arguments[index + 1] : nil
      let others = renamed < mostRenamed ? replacements(of: argument, before: value) : []
      if !others.isEmpty { renamed += 1 }
      variants = variants.flatMap { variant in
        [(variant.arguments + [argument], variant.changes)]
          + others.map { (variant.arguments + $0, variant.changes + 1) }
      }
    }
    return (1...mostRenamed).flatMap { changes in
      variants.filter { $0.changes == changes }.map(\.arguments)
    }
  }

  /// Returns `settings set quietHours 22-7` for `settings set --quiet-hours 22-7`, also with `=` in
  /// place of the space; nil for anything else.
  private static func setting(_ arguments: [String]) -> [String]? {
    guard arguments.starts(with: ["settings", "set"]), arguments.count > 2 else { return nil }
    let parts = arguments[2].split(separator: "=", maxSplits: 1).map(String.init)
    let written = parts[0].lowercased().filter { $0 != "-" }
    let name = SettingName.allCases.first { $0.rawValue.lowercased() == written }
    return name.map {
      Array(arguments.prefix(2)) + [$0.rawValue] + parts.dropFirst() + arguments.dropFirst(3)
    }
  }

  /// Returns what may be meant by an argument, in the order of preference.
  ///
  /// - Parameter next: The argument after it.
  private static func replacements(of argument: String, before next: String?) -> [[String]] {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    guard let name = parts.first, let options = synonyms[name] else { return [] }
    let value = parts.count == 2 ? parts[1] : next
    return options.filter { takes($0, value) }.map { option in
      option.isEmpty ? [] : [([option] + parts.dropFirst()).joined(separator: "=")]
    }
  }

  /// Whether a value may be one of an option; true for an option that takes any text.
  private static func takes(_ option: String, _ value: String?) -> Bool {
    guard let value else { return true }
    return switch option {
    case "--at":
      (try? TimeList(argument: value)) != nil || (try? InstantText(argument: value)) != nil
    case "--for": (try? DurationText(argument: value)) != nil
    case "--goal": (try? Quota(argument: value)) != nil
    case "--amount", "--target", "--at-most": (try? Amount(argument: value)) != nil
    default: true
    }
  }
}
