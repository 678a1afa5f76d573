import CarillonDocuments
import Foundation

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// What a command prints, collected in a file without a name.
///
/// Unlike a pipe, a file does not make the command wait, and does not stay open for a process that
/// the command leaves behind.
final class CommandOutput: Sendable {
  let descriptor: FileDescriptor

  /// The maximum number of bytes that are read.
  private static let maxBytes = 65_536
  /// The maximum length of a message.
  private static let maxLength = 200

  /// - Throws: `io` if there is no room for a file.
  init() throws(CommandFailure) {
    let name = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID())").path
    let number = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else {
      throw .system(
        "a temporary file cannot be created", errno, hint: "check the directory in TMPDIR")
    }
    unlink(name)
    descriptor = FileDescriptor(rawValue: number)
  }

  deinit {
    close(descriptor.rawValue)
  }

  /// The lines printed so far, without surrounding spaces and without empty lines.
  ///
  /// Only ended lines of the first 64 KiB count, since the command may still be printing.
  var lines: [String] {
    let bytes = bytes
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? bytes.startIndex
    return Self.lines(of: bytes[..<end])
  }

  /// Returns a text with the first line that the command printed.
  func added(to text: String) -> String {
    guard let line = Self.lines(of: bytes[...]).first else { return text }
    return "\(text): \(line.prefix(Self.maxLength))"
  }

  // MARK: -

  private var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.maxBytes)
    let count = pread(descriptor.rawValue, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(count, 0)))
  }

  private static func lines(of bytes: ArraySlice<UInt8>) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}
