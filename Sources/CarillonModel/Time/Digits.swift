extension Int {
  /// The decimal digits with zeros in front, up to a width.
  package func padded(_ width: Int) -> String {
    let digits = String(self)
    let missing = width - digits.utf8.count
    return missing > 0 ? String(repeating: "0", count: missing) + digits : digits
  }

  /// Parses plain decimal digits: no sign, no blank, at least one, at most 18.
  package init?(digits: some StringProtocol) {
    guard (1...18).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits)
    else { return nil }
    self = value
  }
}
