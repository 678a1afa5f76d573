import CarillonModel

/// The options that a person probably meant by others that the verb does not have.
enum LikelyOption {
  /// Options of other programs and of everyday words, and the options that do what they say.
  ///
  /// The first one that the verb has is meant. An empty name stands for the default, which needs
  /// no option.
  private static let synonyms = [
    "--time": ["--at", "--for"], "--times": ["--at", "--amount"], "--hour": ["--at"],
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
  /// Returns the arguments with each option that has a synonym in place of another, in the order of
  /// preference; none if nothing would change.
  static func renamed(_ arguments: [String]) -> [[String]] {
    let mostChoices = synonyms.values.map(\.count).max() ?? 0
    return (0..<mostChoices).compactMap { choice in
      let changed = arguments.compactMap { argument in
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let options = parts.first.flatMap({ synonyms[String($0)] }), let last = options.last
        else { return argument as String? }
        let option = choice < options.count ? options[choice] : last
        guard !option.isEmpty else { return nil }
        return parts.count == 2 ? "\(option)=\(parts[1])" : option
      }
      return changed == arguments ? nil : changed
    }
  }
}
