import Foundation

/// The terminal, if any, that a standard stream is connected to.
package struct Terminal: Sendable {
  /// The width in columns; nil for a file or a pipe, for which nothing is cut.
  package let width: Int?
  /// Whether text may be bold or dim.
  package let hasStyles: Bool

  package var isInteractive: Bool { width != nil }

  /// A file or a pipe.
  package static let none = Terminal(width: nil, hasStyles: false)

  package static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
  package static let standardError = Terminal(descriptor: STDERR_FILENO)

  package init(width: Int?, hasStyles: Bool) {
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
