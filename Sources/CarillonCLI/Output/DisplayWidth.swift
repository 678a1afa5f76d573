extension Character {
  /// The number of terminal columns that the character takes: 0, 1 or 2.
  var displayWidth: Int {
    if let ascii = asciiValue { return ascii.isPrintable ? 1 : 0 }
    guard let first = unicodeScalars.first else { return 0 }
    // Variation selector 16 selects the emoji form, which is wide.
    if unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if first.properties.isEmojiPresentation { return 2 }
    return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// The blocks whose characters take two columns (East Asian Width W and F).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF,
    0x20000...0x3FFFD,
  ]
}

extension String {
  /// The number of terminal columns that the text takes.
  var displayWidth: Int {
    utf8.allSatisfy(\.isPrintable) ? utf8.count : reduce(0) { $0 + $1.displayWidth }
  }

  /// Returns the text cut to a number of columns, with an ellipsis if it was cut.
  func truncated(to columns: Int) -> String {
    guard displayWidth > columns else { return self }
    var kept = ""
    var width = 0
    for character in self {
      guard width + character.displayWidth <= columns - 1 else { break }
      kept.append(character)
      width += character.displayWidth
    }
    return columns > 0 ? kept + "…" : ""
  }

  /// Returns the text as lines of at most a number of columns, broken at spaces; a longer word is
  /// broken where the line ends.
  func wrapped(to columns: Int) -> [String] {
    guard displayWidth > columns, columns > 1 else { return [self] }
    var lines = [""]
    var width = 0
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let isFirst = width == 0
      if !isFirst, width + 1 + String(word).displayWidth <= columns {
        lines[lines.count - 1] += " " + word
        width += 1 + String(word).displayWidth
        continue
      }
      if !isFirst { lines.append("") }
      width = 0
      for character in word {
        if width + character.displayWidth > columns {
          lines.append("")
          width = 0
        }
        lines[lines.count - 1].append(character)
        width += character.displayWidth
      }
    }
    return lines
  }

  /// The text, followed by a left-to-right mark if it has letters of a script that runs from right
  /// to left.
  ///
  /// Without the mark, a terminal would also reverse the order of the numbers that follow.
  var endingLeftToRight: String {
    let isReversing = unicodeScalars.contains { scalar in
      Self.rightToLeft.contains { $0.contains(scalar.value) }
    }
    return isReversing ? self + "\u{200E}" : self
  }

  /// The blocks of scripts that run from right to left (bidi classes R and AL).
  private static let rightToLeft: [ClosedRange<UInt32>] = [
    0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
  ]
}

extension UInt8 {
  /// Whether this is the code of an ASCII character that takes a column.
  fileprivate var isPrintable: Bool { (0x20..<0x7F).contains(self) }
}
