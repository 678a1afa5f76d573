import Carillon

extension String {
  /// The text on one line, without anything that a terminal or a reader of lines obeys: line breaks
  /// and tabs become blanks, everything else an escape such as `\u{202e}`.
  var printable: String {
    replacingObeyed { $0 == "\n" || $0 == "\t" ? " " : "\\u{\($0.hexadecimal)}" }
  }

  /// The text as it stands in a cell of a CSV: its line breaks and tabs stay.
  var escapingObeyed: String {
    replacingObeyed { "\n\t\r".unicodeScalars.contains($0) ? "\($0)" : "\\u{\($0.hexadecimal)}" }
  }

  /// JSON with escapes in place of what a terminal or a reader of lines obeys; it says the same.
  var withoutControls: String {
    replacingObeyed { scalar in
      UTF16.encode(scalar).map { units in
        units.map { unit in
          let digits = String(unit, radix: 16)
          return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
      } ?? ""
    }
  }

  private func replacingObeyed(_ replacement: (Unicode.Scalar) -> String) -> String {
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    var text = ""
    var last: Unicode.Scalar?
    for scalar in unicodeScalars {
      if scalar.isObeyed, !scalar.belongs(after: last) {
        text += replacement(scalar)
        last = nil
      } else {
        text.unicodeScalars.append(scalar)
        last = scalar
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var hexadecimal: String { String(value, radix: 16) }

  /// Controls, other line ends, marks that turn the direction of the text, and what cannot be seen.
  fileprivate var isObeyed: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default:
      (0xFFF9...0xFFFB).contains(value)
        || properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }

  /// Whether an invisible character shapes the one before it, as scripts and emoji need it: joiners
  /// behind a letter of such a script or an emoji, tags behind the flag that they name.
  fileprivate func belongs(after last: Unicode.Scalar?) -> Bool {
    guard let last else { return false }
    switch value {
    case 0x200C, 0x200D:
      return (0x0600...0x1CFF).contains(last.value) || last.value == 0xFE0F
        || last.value > 0xFF && last.properties.isEmoji
    case 0xE0020...0xE007F:
      return last.value == 0x1F3F4 || (0xE0020...0xE007E).contains(last.value)
    default: return false
    }
  }
}
