import Carillon
import Foundation

/// A file named by an argument, or standard input where the argument is `-`.
struct InputFile: Sendable {
  let path: String

  /// What messages call it.
  var name: String { path == "-" ? "standard input" : path }

  /// - Throws: `notFound` where there is no such file.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    var isDirectory: ObjCBool = false
    guard path != "-" else { return }
    let hint = "give a file's path, or - for standard input"
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw .notFound("there is no file \(path)", hint: hint)
    }
    guard !isDirectory.boolValue else {
      throw .notFound("\(path) is a directory, not a file", hint: hint)
    }
  }

  /// What the file begins with, up to so many bytes; nothing of what can be read only once, such as
  /// a pipe.
  func beginning(maxBytes: Int) throws -> Data {
    var status = stat()
    guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return Data()
    }
    return Data(try reader().read(upToCount: maxBytes))
  }

  /// All bytes, up to a limit.
  func wholeContents(maxBytes: Int, hint: String = "give a smaller file") throws -> Data {
    let data = Data(try reader().read(upToCount: maxBytes + 1))
    guard data.count <= maxBytes else {
      throw CommandFailure.badData(
        "\(name) has more than \(maxBytes) bytes", hint: hint)
    }
    return data
  }

  /// Calls `body` with each line that is not empty, and its number from 1.
  func forEachLine(_ body: (Int, [UInt8]) throws -> Void) throws {
    var reader = try lines()
    while let (number, bytes) = try reader.next() { try body(number, bytes) }
  }

  func lines() throws -> LineReader {
    LineReader(try reader())
  }

  /// Runs what reads a line, and names the file and the line in what it throws.
  func naming<Result>(
    _ number: Int, _ body: () throws(ModelError) -> Result
  ) throws(CommandFailure) -> Result {
    do {
      return try body()
    } catch {
      throw .badData(
        "\(name) line \(number): \(error.message)",
        hint: error.hint ?? "repair the line and run it again")
    }
  }

  private func reader() throws(CommandFailure) -> ByteReader {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ByteReader.failure(name, errno) }
    return ByteReader(name: name, descriptor: descriptor)
  }
}

/// What an open file still has to give; it is closed when the value is let go.
final class ByteReader {
  /// What messages call the file.
  let name: String
  private let descriptor: Int32

  fileprivate init(name: String, descriptor: Int32) {
    self.name = name
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The next bytes: fewer than asked for at the end only, where there are none.
  ///
  /// - Throws: `io`.
  func read(upToCount count: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var problem: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: min(count - bytes.count, 1 << 20)) {
        let found = Foundation.read(descriptor, $0.baseAddress, $0.count)
        if found < 0 { problem = errno }
        $1 = max(found, 0)
      }
      if problem == EINTR { continue }
      guard problem == 0 else { throw Self.failure(name, problem) }
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  fileprivate static func failure(_ name: String, _ reason: Int32) -> CommandFailure {
    .system("\(name) cannot be read", reason, hint: "check it, and run it again")
  }
}

/// Reads lines from a file in pieces, so that memory stays the same for any length.
struct LineReader {
  private let reader: ByteReader
  private var buffer: [UInt8] = []
  private var start = 0
  private var number = 0
  private var isAtEnd = false
  /// A line of an export has at most a payload of 16,384 bytes in base64 and as much in JSON.
  private static let maxLineBytes = 1 << 20
  private static let pieceBytes = 1 << 16

  init(_ reader: ByteReader) {
    self.reader = reader
  }

  /// The next line that is not empty, without its line break, and its number from 1.
  ///
  /// - Throws: `badData` for a line that is too long, or a last line without a line break that was
  ///   cut off is told by whoever parses it.
  mutating func next() throws -> (number: Int, bytes: [UInt8])? {
    while let line = try nextLine() {
      let isBlank = line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
      if !isBlank { return (number, line) }
    }
    return nil
  }

  private mutating func nextLine() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        number += 1
        return Array(buffer[start..<end])
      }
      searched = buffer.count
      guard searched - start <= Self.maxLineBytes else {
        throw CommandFailure.badData(
          "\(reader.name) line \(number + 1): is longer than \(Self.maxLineBytes) bytes",
          hint: "give one event a line")
      }
      guard try !isAtEnd && fill(&searched) else { break }
    }
    guard start < buffer.count else { return nil }
    defer { start = buffer.count }
    number += 1
    return Array(buffer[start...])
  }

  /// Reads one more piece; false at the end.
  private mutating func fill(_ searched: inout Int) throws -> Bool {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    let piece = try reader.read(upToCount: Self.pieceBytes)
    isAtEnd = piece.isEmpty
    buffer.append(contentsOf: piece)
    return !isAtEnd
  }
}
