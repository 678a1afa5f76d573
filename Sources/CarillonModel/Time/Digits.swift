extension Int {
  /// Returns the decimal digits, padded with leading zeros to a width.
  package func padded(_ width: Int) -> String {
    let digits = String(self)
    let missing = width - digits.utf8.count
    return missing > 0 ? String(repeating: "0", count: missing) + digits : digits
  }

  /// Parses 1 to 18 decimal digits; signs and spaces are not allowed.
  package init?(digits: some StringProtocol) {
    guard (1...18).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits)
    else { return nil }
    self = value
  }
}
