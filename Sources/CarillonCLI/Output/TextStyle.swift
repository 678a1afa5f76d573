import CarillonDocuments

/// The style of a piece of text on a terminal.
enum TextStyle {
  case plain, bold, dim

  /// Returns the text with the escape sequences of the style, if the terminal has styles.
  func applied(to text: String, on terminal: Terminal) -> String {
    guard terminal.hasStyles, !text.isEmpty else { return text }
    return switch self {
    case .plain: text
    case .bold: "\u{1B}[1m\(text)\u{1B}[0m"
    case .dim: "\u{1B}[2m\(text)\u{1B}[0m"
    }
  }
}
