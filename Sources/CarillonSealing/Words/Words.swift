import CarillonModel

/// Numbers of 11 bits as words, for people who copy them.
enum Words {
  /// The bits of one word.
  static let bitsPerWord = 11
  /// The most characters of a wrong word that an error repeats.
  private static let shownCharacters = 20
  /// The most words that an error suggests.
  private static let suggestions = 3

  private static let places = Dictionary(
    uniqueKeysWithValues: list.enumerated().map { ($1, $0) })

  /// Returns the words of the first `count` groups of 11 bits.
  static func encode(_ bytes: [UInt8], count: Int) -> [String] {
    (0..<count).map { word in
      let bits = word * bitsPerWord..<(word + 1) * bitsPerWord
      return list[bits.reduce(0) { $0 << 1 | Int(bytes[$1 / 8] >> UInt8(7 - $1 % 8) & 1) }]
    }
  }

  /// Returns the bits of words, the last byte filled with zeros.
  static func decode(_ words: [String]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (words.count * bitsPerWord + 7) / 8)
    for (index, word) in words.enumerated() {
      let number = places[word] ?? 0
      for bit in 0..<bitsPerWord where number >> (bitsPerWord - 1 - bit) & 1 == 1 {
        let place = index * bitsPerWord + bit
        bytes[place / 8] |= 0x80 >> UInt8(place % 8)
      }
    }
    return bytes
  }

  /// Reads words, in either case, separated by white space.
  ///
  /// - Parameter name: What the words are, for the error.
  /// - Throws: `malformedWords`, with the index of the word that is not in the list and the words
  ///   that are near to it, or with the number of the words.
  static func parse(
    _ text: String, count: Int, of name: String
  ) throws(SealingError) -> [String] {
    let words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    for (index, word) in words.prefix(count).enumerated() where places[word] == nil {
      let shown = word.allSatisfy(\.isLetter) ? " \"\(word.prefix(shownCharacters))\"" : ""
      let near = near(word)
      throw SealingError(
        code: .malformedWords,
        message: "word \(index + 1) of \(name),\(shown.isEmpty ? "" : "\(shown),") is not in the "
          + "list of words",
        index: index,
        hint: near.isEmpty
          ? "compare it with what was written down or shown"
          : "did you mean \(near.joined(separator: " or "))?")
    }
    guard words.count == count else {
      throw SealingError(
        code: .malformedWords,
        message: "\(name) has \(words.count) words; \(count) are required",
        hint: "give them in their order, separated by spaces")
    }
    return words
  }

  /// Returns the words that a wrong word probably means, at most three.
  ///
  /// These are the words that differ by one letter, or by two that are swapped, and the word that
  /// begins with the same four letters.
  static func near(_ wrong: String) -> [String] {
    let letters = Array(wrong.unicodeScalars.prefix(shownCharacters))
    let start = String(wrong.prefix(4))
    let found = list.filter { word in
      word.hasPrefix(start) && start.count == 4
        || isOneEdit(letters, Array(word.unicodeScalars))
    }
    return Array(found.prefix(suggestions))
  }

  /// Whether one text becomes the other when a letter is changed, added or removed, or two
  /// neighbours are swapped.
  static func isOneEdit(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Bool {
    let start = zip(left, right).prefix { $0 == $1 }.count
    let (left, right) = (left.dropFirst(start), right.dropFirst(start))
    let end = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
    let (first, second) = (left.dropLast(end), right.dropLast(end))
    return max(first.count, second.count) <= 1
      || first.count == 2 && first.elementsEqual(second.reversed())
  }
}
