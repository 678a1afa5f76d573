/// Commands as a POSIX shell reads them, but that nothing is expanded.
///
/// Blanks divide the words; quotes and backslashes keep a word together.
enum CommandWords {
  /// The words of `CARILLON_SSH`; `ssh` where it holds none.
  ///
  /// - Throws: A usage error where a quote is left open.
  static func split(_ text: String) throws(CommandFailure) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == "\\", quote != "'", let next = rest.first,
        // Between double quotes only what means something there.
        quote == nil || "\"\\$`".contains(next)
      {
        word = (word ?? "") + String(rest.removeFirst())
      } else if quote == nil, character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil else {
      throw .usage("CARILLON_SSH: a quote is left open: \(text)", hint: "close the quote")
    }
    if let word { words.append(word) }
    return words.isEmpty ? ["ssh"] : words
  }

  /// A command of these words.
  static func joined(_ words: [String]) -> String {
    words.map { isPlain($0) ? $0 : quoted($0) }.joined(separator: " ")
  }

  /// One word, whatever is in it.
  static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }

  private static func isPlain(_ word: String) -> Bool {
    !word.isEmpty
      && word.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || ("0"..."9").contains($0)
          || "-_./:@%+=,".unicodeScalars.contains($0)
      }
  }
}
