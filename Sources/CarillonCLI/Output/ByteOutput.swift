import CarillonDocuments
import Foundation

/// Writes text to a file descriptor, and reports an error if not all of it was written.
///
/// If the reader has gone away, SIGPIPE ends the process quietly.
struct ByteOutput: Sendable {
  let descriptor: Int32

  static let standardOutput = ByteOutput(descriptor: STDOUT_FILENO)
  static let standardError = ByteOutput(descriptor: STDERR_FILENO)

  /// Writes the complete text before it returns.
  func write(_ text: String) throws(CommandFailure) {
    let problem = StandardStream.write(text, to: descriptor)
    guard problem != 0 else { return }
    throw .unwritable(problem == EBADF ? stream : name, problem)
  }

  /// The name of the stream.
  private var stream: String {
    descriptor == STDERR_FILENO ? "standard error" : "standard output"
  }

  /// The name of the stream, with the path of its file if it is one.
  private var name: String {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = path.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        readlink("/proc/self/fd/\(descriptor)", $0.baseAddress.unsafelyUnwrapped, $0.count)
      }
    }
    guard count > 0, path[0] == UInt8(ascii: "/") else { return stream }
    let file = String(decoding: path.prefix(count), as: UTF8.self)
    return descriptor > STDERR_FILENO ? file : "\(stream), \(file),"
  }
}

/// Collects lines and writes them in large pieces, which saves system calls.
struct LineBuffer {
  private let output: ByteOutput
  private var text = ""
  private static let capacity = 65_536

  init(to output: ByteOutput = .standardOutput) {
    self.output = output
  }

  /// Adds lines, each with a line break.
  mutating func append(_ lines: String) throws(CommandFailure) {
    text += lines
    if text.utf8.count >= Self.capacity { try flush() }
  }

  /// Writes the collected lines.
  mutating func flush() throws(CommandFailure) {
    guard !text.isEmpty else { return }
    try output.write(text)
    text = ""
  }
}
