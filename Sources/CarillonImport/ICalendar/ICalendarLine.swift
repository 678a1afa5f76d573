import Carillon
import CarillonModel
import Foundation

/// One content line: a name, parameters and a value.
struct ICalendarLine {
  /// The line of the file on which it starts, from 1.
  let number: Int
  /// The name in upper case.
  let name: String
  /// The parameters: names in upper case, values as written, without quotes.
  let parameters: [(name: String, values: [String])]
  /// The value as written; its escapes depend on the property.
  let value: String

  /// The first value of a parameter.
  subscript(parameter: String) -> String? {
    parameters.first { $0.name == parameter }?.values.first
  }
}

/// Reads the content lines of a calendar strictly according to RFC 5545, section 3.1: line ends
/// CRLF or LF, folded lines up to a maximum length, and quoted parameter values.
///
/// An error names its line, counted from 1. Blank lines and a byte order mark are skipped.
struct ICalendarReader {
  /// The name of the file in messages.
  private let name: String
  private let bytes: [UInt8]
  private var index: Int
  private(set) var line = 1

  /// The maximum length of an unfolded line in bytes; a line may contain an attachment.
  static let maxLineBytes = 1 << 20
  /// The maximum number of parameters of a line.
  static let maxParameterCount = 64

  private static let (lineFeed, carriageReturn, blank, tab) =
    (UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "), UInt8(ascii: "\t"))

  /// Creates a reader that starts at the beginning.
  ///
  /// - Parameter name: The name of the file in messages.
  init(_ bytes: [UInt8], named name: String) {
    self.name = name
    self.bytes = bytes
    index = bytes.starts(with: CSVReader.byteOrderMark) ? CSVReader.byteOrderMark.count : 0
  }

  /// Returns the next line; nil at the end.
  mutating func next() throws -> ICalendarLine? {
    while index < bytes.count {
      let number = line
      let unfolded = try unfoldedLine()
      if !unfolded.isEmpty { return try ICalendarLine(unfolded, number: number, of: self) }
    }
    return nil
  }

  /// Returns an error about a line of the file.
  func problem(
    _ message: String, on line: Int, hint: String = "export it again, and import the new file"
  ) -> StoreError {
    ImportFile.problem(
      named: name, "line \(line) \(message)", hint: hint)
  }

  /// Returns an error about the whole file.
  func problem(_ message: String, hint: String) -> StoreError {
    ImportFile.problem(named: name, message, hint: hint)
  }

  // MARK: - Parts

  /// Returns a line joined with its continuation lines, without line ends.
  private mutating func unfoldedLine() throws -> ArraySlice<UInt8> {
    let first = line
    var whole = try physicalLine()
    while index < bytes.count, bytes[index] == Self.blank || bytes[index] == Self.tab,
      !whole.isEmpty
    {
      index += 1
      whole += try physicalLine()
      try checkLength(whole.count, first)
    }
    try checkLength(whole.count, first)
    return whole
  }

  private func checkLength(_ count: Int, _ first: Int) throws {
    guard count <= Self.maxLineBytes else { throw Self.tooLong(first, named: name) }
  }

  /// Returns the error about a line that is too long.
  fileprivate static func tooLong(_ line: Int, named name: String) -> StoreError {
    ImportFile.problem(
      named: name,
      "line \(line) has more than \(maxLineBytes) bytes, including its continuation lines",
      hint: "export without attachments, and import the new file")
  }

  /// Returns the bytes up to the end of a line or of the file.
  private mutating func physicalLine() throws -> ArraySlice<UInt8> {
    let end = bytes[index...].firstIndex(of: Self.lineFeed) ?? bytes.count
    var found = bytes[index..<end]
    if found.last == Self.carriageReturn { found.removeLast() }
    if let bad = found.first(where: { $0 == Self.carriageReturn || $0 == 0 }) {
      throw problem(
        bad == 0 ? "has a NUL byte" : "has a carriage return without a line feed", on: line)
    }
    index = end + 1
    line += 1
    return found
  }
}

/// Checks the length of the lines of a file while it is read piece by piece.
struct ICalendarLineCheck {
  private let name: String
  private var line = 1
  private var byteCount = 0

  /// - Parameter name: The name of the file in messages.
  init(named name: String) {
    self.name = name
  }

  /// Checks the next piece.
  ///
  /// - Throws: `invalidValue` naming the line, without the length of its continuation lines.
  mutating func check(_ piece: UnsafeRawBufferPointer) throws {
    var rest = piece[...]
    while let end = rest.firstLineFeed {
      try add(end - rest.startIndex)
      (line, byteCount) = (line + 1, 0)
      rest = rest[(end + 1)...]
    }
    try add(rest.count)
  }

  private mutating func add(_ count: Int) throws {
    byteCount += count
    // A line end has one more byte than the line feed.
    guard byteCount <= ICalendarReader.maxLineBytes + 1 else {
      throw ICalendarReader.tooLong(line, named: name)
    }
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The index of the first line feed.
  fileprivate var firstLineFeed: Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: self)
    guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else {
      return nil
    }
    return startIndex + (UnsafeRawPointer(found) - start)
  }
}

extension ICalendarLine {
  private static let (colon, semicolon, comma, equals, quote) =
    (
      UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "="),
      UInt8(ascii: "\"")
    )

  /// Parses an unfolded line.
  fileprivate init(
    _ bytes: ArraySlice<UInt8>, number: Int, of reader: ICalendarReader
  ) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw reader.problem("is not UTF-8", on: number)
    }
    var rest = Substring(text).utf8
    guard let name = Self.name(&rest), rest.first == Self.colon || rest.first == Self.semicolon
    else {
      throw reader.problem(
        "is not a calendar line such as SUMMARY:Lunch: \(Self.excerpt(text))", on: number)
    }
    var parameters: [(name: String, values: [String])] = []
    while rest.first == Self.semicolon {
      rest.removeFirst()
      guard let parameter = Self.parameter(&rest) else {
        throw reader.problem("has a parameter of \(name) that is not NAME=value", on: number)
      }
      parameters.append(parameter)
      guard parameters.count <= ICalendarReader.maxParameterCount else {
        throw reader.problem(
          "has more than \(ICalendarReader.maxParameterCount) parameters", on: number)
      }
    }
    guard rest.popFirst() == Self.colon else {
      throw reader.problem("has no colon after the parameters of \(name)", on: number)
    }
    self.init(number: number, name: name, parameters: parameters, value: String(Substring(rest)))
  }

  /// Returns a name of letters, digits, hyphens and underscores, in upper case; nil if there is
  /// none.
  private static func name(_ rest: inout Substring.UTF8View) -> String? {
    let name = rest.prefix {
      (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
    }
    guard !name.isEmpty else { return nil }
    rest = rest[name.endIndex...]
    return Substring(name).uppercased()
  }

  private static func parameter(
    _ rest: inout Substring.UTF8View
  ) -> (name: String, values: [String])? {
    guard let name = name(&rest), rest.popFirst() == equals else { return nil }
    var values: [String] = []
    repeat {
      if rest.first == comma { rest.removeFirst() }
      guard let value = parameterValue(&rest) else { return nil }
      values.append(value)
    } while rest.first == comma
    return (name, values)
  }

  private static func parameterValue(_ rest: inout Substring.UTF8View) -> String? {
    guard rest.first == quote else {
      let value = rest.prefix { $0 != comma && $0 != semicolon && $0 != colon && $0 != quote }
      rest = rest[value.endIndex...]
      return String(Substring(value))
    }
    rest.removeFirst()
    let value = rest.prefix { $0 != quote }
    guard value.endIndex < rest.endIndex else { return nil }
    rest = rest[value.endIndex...].dropFirst()
    return String(Substring(value))
  }

  /// Returns the start of a text, for a message.
  static func excerpt(_ text: some StringProtocol) -> String {
    text.count > 40 ? text.prefix(40) + "..." : String(text)
  }
}
