extension String {
  /// The text on one line, without characters that control a terminal or end a line.
  ///
  /// Line breaks and tabs become spaces; other control characters become escapes such as
  /// `\u{202e}`.
  package var printable: String {
    replacingObeyed { $0 == "\n" || $0 == "\t" ? " " : "\\u{\($0.hexadecimal)}" }
  }

  /// The text for a cell of a CSV file: control characters are escaped except line breaks and tabs.
  package var escapingObeyed: String {
    replacingObeyed { "\n\t\r".unicodeScalars.contains($0) ? "\($0)" : "\\u{\($0.hexadecimal)}" }
  }

  /// The same JSON with control characters written as escapes.
  package var withoutControls: String {
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
    var text = self
    // The bytes of a string take ten times as long as those of a buffer.
    guard text.withUTF8({ $0.contains { $0 < 0x20 || $0 >= 0x7F } }) else { return self }
    text = ""
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

  /// Whether this is a control character, a line separator, a mark that changes the direction of
  /// the text, or invisible.
  fileprivate var isObeyed: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default:
      (0xFFF9...0xFFFB).contains(value)
        || properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }

  /// Whether an invisible character shapes the one before it, as some scripts and emoji need.
  ///
  /// These are joiners after a letter of such a script or an emoji, and tags after a flag.
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
