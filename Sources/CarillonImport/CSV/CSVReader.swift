import Carillon
import CarillonModel
import Foundation

/// Reads CSV strictly according to RFC 4180: commas, line ends LF or CRLF, and quotes around values
/// that contain commas, quotes or line ends.
///
/// Every row must have as many values as the first. An error names its line, counted from 1. Blank
/// lines and a byte order mark are skipped.
struct CSVReader {
  /// One row: the line on which it starts, and its values.
  struct Row {
    let line: Int
    let values: [String]
  }

  /// The name of the file in messages.
  private let name: String
  private let bytes: [UInt8]
  private var index: Int
  private var line: Int
  private var columnCount: Int?

  private static let (comma, quote, lineFeed, carriageReturn) =
    (UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"))
  /// Far above the size of any exported value.
  private static let maxValueBytes = 65_536
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Creates a reader that starts at the beginning, or after a header that was already read.
  ///
  /// - Parameter name: The name of the file in messages; its own name by default.
  init(
    _ bytes: [UInt8], of file: URL, named name: String? = nil, from start: Int? = nil, line: Int = 1
  ) {
    self.name = name ?? file.lastPathComponent
    self.bytes = bytes
    self.line = line
    index = start ?? (bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0)
  }

  /// Returns the next row; nil at the end.
  mutating func next() throws -> Row? {
    while index < bytes.count, try skipLineEnd() {}
    guard index < bytes.count else { return nil }
    let first = line
    var values: [String] = []
    repeat { values.append(try value()) } while skip(Self.comma)
    if index < bytes.count, try !skipLineEnd() {
      throw problem("has text after a closing quote")
    }
    let expected = columnCount ?? values.count
    columnCount = expected
    guard values.count == expected else {
      throw problem(
        "has \(values.count) values, but the first line has \(expected)", on: first)
    }
    return Row(line: first, values: values)
  }

  /// Returns an error about a line of the file.
  func problem(_ message: String, on line: Int? = nil) -> StoreError {
    ImportFile.problem(named: name, "line \(line ?? self.line) \(message)")
  }

  // MARK: - Parts

  private mutating func value() throws -> String {
    skip(Self.quote) ? try quotedValue() : try plainValue()
  }

  private mutating func plainValue() throws -> String {
    let start = index
    while index < bytes.count,
      ![Self.comma, Self.lineFeed, Self.carriageReturn].contains(bytes[index])
    {
      guard bytes[index] != Self.quote else {
        throw problem("has a quote within a value that does not start with a quote")
      }
      index += 1
    }
    return try text(bytes[start..<index])
  }

  private mutating func quotedValue() throws -> String {
    let first = line
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == Self.quote, !skip(Self.quote) { return try self.text(text[...], on: first) }
      if byte == Self.lineFeed { line += 1 }
      text.append(byte)
      guard text.count <= Self.maxValueBytes else { break }
    }
    throw problem(
      "starts a quoted value that is not closed within \(Self.maxValueBytes) bytes", on: first)
  }

  private func text(_ bytes: ArraySlice<UInt8>, on line: Int? = nil) throws -> String {
    guard bytes.count <= Self.maxValueBytes else {
      throw problem("has a value of more than \(Self.maxValueBytes) bytes", on: line)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw problem("is not UTF-8", on: line)
    }
    return text
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  /// Skips LF or CRLF.
  private mutating func skipLineEnd() throws -> Bool {
    if skip(Self.carriageReturn) {
      guard skip(Self.lineFeed) else { throw problem("has a carriage return without a line feed") }
    } else if !skip(Self.lineFeed) {
      return false
    }
    line += 1
    return true
  }
}
