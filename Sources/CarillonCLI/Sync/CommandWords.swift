import CarillonDocuments

/// Splits and joins commands as a POSIX shell does, but without expansion.
/// Splits commands as a POSIX shell does, but without expansion.
///
/// Whitespace separates words; quotes and backslashes keep a word together.
enum CommandWords {
  /// Returns the words of a command in an environment variable; empty if it has none.
  ///
  /// - Throws: A usage error if a quote is not closed.
  static func split(_ text: String, of variable: String) throws(CommandFailure) -> [String] {
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
        // Inside double quotes, a backslash escapes only these characters.
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
      throw .usage("\(variable): a quote is not closed: \(text)", hint: "close the quote")
    }
    if let word { words.append(word) }
    return words
  }

  /// Returns a command of these words, quoted if necessary.
  static func joined(_ words: [String]) -> String {
    words.map { isPlain($0) ? $0 : quoted($0) }.joined(separator: " ")
  }

  /// Quotes a word, whatever characters it has.
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
