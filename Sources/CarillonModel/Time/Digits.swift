extension Int {
  /// Returns the decimal digits, padded with leading zeros to a width.
  package func padded(_ width: Int) -> String {
    guard (0..<10_000).contains(self), width <= 4 else {
      let digits = String(self)
      let missing = width - digits.utf8.count
      return missing > 0 ? String(repeating: "0", count: missing) + digits : digits
    }
    // Dates and times are formatted often.
    let count = Swift.max(width, self < 10 ? 1 : self < 100 ? 2 : self < 1_000 ? 3 : 4)
    return String(unsafeUninitializedCapacity: count) { text in
      var rest = self
      for place in (0..<count).reversed() {
        text[place] = 0x30 + UInt8(rest % 10)
        rest /= 10
      }
      return count
    }
  }

  /// Parses 1 to 18 decimal digits; signs and spaces are not allowed.
  package init?(digits: some StringProtocol) {
    // The bytes of a generic text cost a search for its type's conformances.
    var text = String(digits)
    let value = text.withUTF8 { bytes -> Int? in
      guard (1...18).contains(bytes.count) else { return nil }
      var value = 0
      for byte in bytes {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = 10 * value + Int(byte - 0x30)
      }
      return value
    }
    guard let value else { return nil }
    self = value
  }
}

extension String {
  /// Returns the numbers of a text like a pattern, in which each `0` stands for a decimal digit.
  ///
  /// All other characters of the pattern separate numbers. Returns nil for any other text.
  func numbers(like pattern: String) -> [Int]? {
    guard utf8.count == pattern.utf8.count else { return nil }
    var numbers = [0]
    for (byte, expected) in zip(utf8, pattern.utf8) {
      if expected != UInt8(ascii: "0") {
        guard byte == expected else { return nil }
        numbers.append(0)
      } else {
        guard (0x30...0x39).contains(byte) else { return nil }
        numbers[numbers.count - 1] = 10 * numbers[numbers.count - 1] + Int(byte - 0x30)
      }
    }
    return numbers
  }
}
