/// Quotes the words of a command for a POSIX shell.
package enum ShellWord {
  /// The characters that a shell takes as they are.
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./~+@%,:=-".utf8)

  /// Quotes a word of a command that people see, if necessary.
  ///
  /// If a word has characters that a terminal does not show as they are, all but plain ones are
  /// written as numbers: `$'a\033b'`.
  package static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && word.utf8.allSatisfy(plain.contains) && !word.hasPrefix("~")
    guard !isPlain else { return word }
    guard word != word.printable else { return verbatim(word) }
    let bytes = word.utf8.map { byte in
      let octal = String(byte, radix: 8)
      let zeros = String(repeating: "0", count: 3 - octal.count)
      return plain.contains(byte) ? String(UnicodeScalar(byte)) : "\\\(zeros)\(octal)"
    }
    return "$'\(bytes.joined())'"
  }

  /// Returns a command of these words, which people see, quoted if necessary.
  package static func joined(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  /// Quotes a word, and leaves all of its characters as they are.
  package static func verbatim(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
