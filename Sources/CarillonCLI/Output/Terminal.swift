import Foundation

/// The terminal, if any, that a standard stream is connected to.
struct Terminal: Sendable {
  /// The width in columns; nil for a file or a pipe, for which nothing is cut.
  let width: Int?
  /// Whether text may be bold or dim.
  let hasStyles: Bool

  var isInteractive: Bool { width != nil }

  /// A file or a pipe.
  static let none = Terminal(width: nil, hasStyles: false)

  static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
  static let standardError = Terminal(descriptor: STDERR_FILENO)

  init(width: Int?, hasStyles: Bool) {
    self.width = width
    self.hasStyles = hasStyles
  }

  private init(descriptor: Int32) {
    guard isatty(descriptor) == 1 else {
      self = .none
      return
    }
    var size = winsize()
    let columns = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
    let isPlain = getenv("NO_COLOR") != nil || getenv("TERM").map { String(cString: $0) } == "dumb"
    self.init(width: columns > 0 ? columns : 80, hasStyles: !isPlain)
  }
}

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
