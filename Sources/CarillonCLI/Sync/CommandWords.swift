import CarillonDocuments

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
}
