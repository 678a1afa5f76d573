import Foundation

/// Writes text to a file descriptor, whole or not at all.
///
/// A reader that went away ends the process quietly, as SIGPIPE does by default.
struct ByteOutput: Sendable {
  let descriptor: Int32

  static let standardOutput = ByteOutput(descriptor: STDOUT_FILENO)
  static let standardError = ByteOutput(descriptor: STDERR_FILENO)

  /// Writes all of the text before it returns.
  func write(_ text: String) throws(CommandFailure) {
    var text = text
    let problem = text.withUTF8 { writeWhole(UnsafeRawBufferPointer($0), to: descriptor) }
    guard problem != 0 else { return }
    throw CommandFailure(
      status: .inputOutput, code: "io",
      message: "the output cannot be written: \(String(cString: strerror(problem)))",
      hint: "check where the output goes, and run it again")
  }
}

/// Collects lines and writes them in large pieces, so that a long listing costs few system calls.
struct LineBuffer {
  private let output: ByteOutput
  private var text = ""
  private static let capacity = 65_536

  init(to output: ByteOutput = .standardOutput) {
    self.output = output
  }

  /// Adds a text that ends with a line break.
  mutating func append(_ lines: String) throws(CommandFailure) {
    text += lines
    if text.utf8.count >= Self.capacity { try flush() }
  }

  /// Writes what is there.
  mutating func flush() throws(CommandFailure) {
    guard !text.isEmpty else { return }
    try output.write(text)
    text = ""
  }
}
