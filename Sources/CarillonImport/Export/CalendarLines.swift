import CarillonModel

/// The content lines of a calendar, as RFC 5545 defines them: folded, escaped, and ended by CRLF.
struct CalendarLines {
  private(set) var text = ""

  /// The maximum length of a line in bytes, without its end.
  private static let maxLineBytes = 75

  /// Adds a line whose value needs no escapes.
  mutating func add(_ line: String) {
    var count = 0
    for scalar in line.unicodeScalars {
      let length = String(scalar).utf8.count
      if count + length > Self.maxLineBytes {
        text += "\r\n "
        count = 1
      }
      text.unicodeScalars.append(scalar)
      count += length
    }
    text += "\r\n"
  }

  /// Adds a property with a text; nothing if there is none.
  mutating func add(_ name: String, text value: String?) {
    guard let value, !value.isEmpty else { return }
    add(name + ":" + Self.escaped(value))
  }

  /// Escapes a text, and removes the control characters that a calendar must not have.
  ///
  /// - Source: RFC 5545, section 3.3.11.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
      switch scalar {
      case "\n": escaped += "\\n"
      case "\\", ",", ";": escaped += "\\\(scalar)"
      case "\t": escaped += "\t"
      default:
        if scalar.value >= 0x20, scalar.value != 0x7F { escaped.unicodeScalars.append(scalar) }
      }
    }
    return escaped
  }
}
