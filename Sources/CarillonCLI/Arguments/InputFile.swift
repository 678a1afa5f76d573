import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// The file that an argument names, or standard input if the argument is `-`.
struct InputFile: Sendable {
  let path: String

  /// The name for messages.
  var name: String { path == "-" ? "standard input" : path }

  /// - Throws: `notFound` if there is no such file.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    var isDirectory: ObjCBool = false
    guard path != "-" else { return }
    let hint = "give a file's path, or - for standard input"
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw .notFound("file \(path) does not exist", hint: hint)
    }
    guard !isDirectory.boolValue else {
      throw .notFound("\(path) is a directory, not a file", hint: hint)
    }
  }

  /// Returns the first bytes of a regular file, up to a maximum.
  ///
  /// Empty for anything that can be read only once, such as a pipe.
  func beginning(maxBytes: Int) throws -> Data {
    var status = stat()
    guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return Data()
    }
    return Data(try reader().read(upToCount: maxBytes))
  }

  /// Returns all bytes.
  ///
  /// - Throws: `badData` if there are more than `maxBytes`; `io`.
  func wholeContents(maxBytes: Int, hint: String = "give a smaller file") throws -> Data {
    let data = Data(try reader().read(upToCount: maxBytes + 1))
    guard data.count <= maxBytes else {
      throw CommandFailure.badData(
        "\(name) has more than the maximum of \(maxBytes) bytes", hint: hint)
    }
    return data
  }

  /// Calls `body` with the number, from 1, and the bytes of each line that is not blank.
  func forEachLine(_ body: (Int, [UInt8]) throws -> Void) throws {
    var reader = try lines()
    while let (number, bytes) = try reader.next() { try body(number, bytes) }
  }

  /// - Parameters:
  ///   - maxLineBytes: The maximum bytes of a line.
  ///   - pieceBytes: How much is read at a time, which changes nothing that is returned.
  func lines(
    maxLineBytes: Int = LineReader.maxLineBytes, pieceBytes: Int = 1 << 16
  ) throws -> LineReader {
    LineReader(try reader(), maxLineBytes: maxLineBytes, pieceBytes: pieceBytes)
  }

  /// Calls a function that parses a line, and adds the file and the line number to its error.
  func naming<Result>(
    _ number: Int, _ body: () throws(ModelError) -> Result
  ) throws(CommandFailure) -> Result {
    do {
      return try body()
    } catch {
      throw .badData(
        "\(name) line \(number): \(error.message)",
        hint: NextStep.specific(to: error) ?? "correct the line and run the command again")
    }
  }

  private func reader() throws(CommandFailure) -> ByteReader {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ByteReader.failure(name, errno) }
    return ByteReader(name: name, descriptor: descriptor)
  }
}

/// Reads the bytes of an open file in order, and closes it when the reader is released.
final class ByteReader {
  /// The file's name for messages.
  let name: String
  private let descriptor: Int32

  fileprivate init(name: String, descriptor: Int32) {
    self.name = name
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Returns the next bytes: fewer than requested only at the end of the file, and then none.
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
    .system(
      "\(name) cannot be read", reason, hint: "check the file, and run the command again")
  }
}

/// Reads the lines of a file in pieces, in constant memory for a file of any length.
struct LineReader {
  /// More than any line of an export: a payload of at most 16,384 bytes in base64, and again as
  /// JSON.
  static let maxLineBytes = 1 << 20

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let reader: ByteReader
  private let maxLineBytes: Int
  private let pieceBytes: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var number = 0
  private var isAtEnd = false

  fileprivate init(_ reader: ByteReader, maxLineBytes: Int, pieceBytes: Int) {
    (self.reader, self.maxLineBytes, self.pieceBytes) = (reader, maxLineBytes, pieceBytes)
  }

  /// Returns the next line that is not blank, without its line break, and its number from 1.
  ///
  /// A byte order mark at the start of the file is no part of the first line.
  ///
  /// A last line without a line break may have been cut off; its parser reports that.
  ///
  /// - Throws: `badData` for a line that is too long; `io`.
  mutating func next() throws -> (number: Int, bytes: [UInt8])? {
    while var line = try nextLine() {
      if number == 1, line.starts(with: Self.byteOrderMark) { line.removeFirst(3) }
      let isBlank = line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
      if !isBlank { return (number, line) }
    }
    return nil
  }

  private mutating func nextLine() throws -> [UInt8]? {
    var searched = start
    while true {
      let end = buffer[searched...].firstIndex(of: 0x0A)
      searched = end ?? buffer.count
      guard searched - start <= maxLineBytes else {
        throw CommandFailure.badData(
          "\(reader.name) line \(number + 1): longer than the maximum of \(maxLineBytes) bytes",
          hint: "give one event per line")
      }
      if let end {
        defer { start = end + 1 }
        number += 1
        return Array(buffer[start..<end])
      }
      guard try !isAtEnd && fill(&searched) else { break }
    }
    guard start < buffer.count else { return nil }
    defer { start = buffer.count }
    number += 1
    return Array(buffer[start...])
  }

  /// Reads one more piece, and returns false at the end.
  private mutating func fill(_ searched: inout Int) throws -> Bool {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    let piece = try reader.read(upToCount: pieceBytes)
    isAtEnd = piece.isEmpty
    buffer.append(contentsOf: piece)
    return !isAtEnd
  }
}
