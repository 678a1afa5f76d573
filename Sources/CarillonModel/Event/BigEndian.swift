extension FixedWidthInteger {
  /// The bytes of the number, most significant first.
  package var bigEndianBytes: [UInt8] {
    Swift.withUnsafeBytes(of: bigEndian) { [UInt8]($0) }
  }
}

extension Sequence<UInt8> {
  /// The bytes as two lower-case hexadecimal digits each.
  package var hexadecimal: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      text.append((byte >> 4).hexadecimalDigit)
      text.append((byte & 15).hexadecimalDigit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension UInt8 {
  /// The ASCII character of a hexadecimal digit 0...15.
  var hexadecimalDigit: UInt8 { self < 10 ? 0x30 + self : 0x57 + self }

  /// The value of the ASCII character of a hexadecimal digit, in either case; nil for any other.
  var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x61...0x66: self - 0x61 + 10
    case 0x41...0x46: self - 0x41 + 10
    default: nil
    }
  }
}

extension [UInt8] {
  /// Parses hexadecimal digits in either case; returns nil for other characters or an odd count.
  package init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.compactMap(\.hexadecimalValue)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
