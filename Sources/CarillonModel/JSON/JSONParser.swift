extension JSONValue {
  /// Parses one JSON document (RFC 8259), which may be surrounded by whitespace.
  ///
  /// - Throws: `malformed` with the byte, counted from 1, at which the document is invalid; also
  ///   for a name that occurs twice in one object, and for more than 16 levels of nesting.
  package init(parsing bytes: some Collection<UInt8>) throws(ModelError) {
    var parser = JSONParser(bytes: [UInt8](bytes))
    self = try parser.document()
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  var offset = 0

  /// The maximum nesting of objects and lists; no event needs more than 5 levels.
  static let maxDepth = 16

  mutating func document() throws(ModelError) -> JSONValue {
    let value = try value(depth: 0)
    skipBlanks()
    guard offset == bytes.count else { throw error("unexpected text after the document") }
    return value
  }

  private mutating func value(depth: Int) throws(ModelError) -> JSONValue {
    guard depth < Self.maxDepth else { throw error("more than \(Self.maxDepth) levels of nesting") }
    skipBlanks()
    guard let next else { throw error("unexpected end of the document") }
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: return try word()
    }
  }

  private mutating func object(depth: Int) throws(ModelError) -> JSONObject {
    var members: [(String, JSONValue)] = []
    var names: Set<String> = []
    offset += 1
    skipBlanks()
    if take("}") { return JSONObject() }
    repeat {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw error("expected a name in quotes") }
      let name = try text()
      guard names.insert(name).inserted else { throw error("the name \"\(name)\" occurs twice") }
      skipBlanks()
      guard take(":") else { throw error("expected ':'") }
      members.append((name, try value(depth: depth + 1)))
      skipBlanks()
    } while take(",")
    guard take("}") else { throw error("expected ',' or '}'") }
    return JSONObject(distinct: members)
  }

  private mutating func array(depth: Int) throws(ModelError) -> [JSONValue] {
    var elements: [JSONValue] = []
    offset += 1
    skipBlanks()
    if take("]") { return elements }
    repeat {
      elements.append(try value(depth: depth + 1))
      skipBlanks()
    } while take(",")
    guard take("]") else { throw error("expected ',' or ']'") }
    return elements
  }

  private mutating func word() throws(ModelError) -> JSONValue {
    let words: [(String, JSONValue)] = [
      ("null", .null), ("true", .bool(true)), ("false", .bool(false)),
    ]
    for (word, value) in words where bytes[offset...].starts(with: word.utf8) {
      offset += word.utf8.count
      return value
    }
    throw error("expected a value")
  }

  private mutating func number() throws(ModelError) -> JSONValue {
    let start = offset
    _ = take("-")
    guard !(next == UInt8(ascii: "0") && isDigit(at: offset + 1)) else {
      throw error("a number must not start with 0")
    }
    try digits()
    var isIntact = true
    if take(".") {
      isIntact = false
      try digits()
    }
    if take("e") || take("E") {
      isIntact = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    guard isIntact, let value = Int64(text) else { return .number(text) }
    return .integer(value)
  }

  private mutating func digits() throws(ModelError) {
    guard isDigit(at: offset) else { throw error("expected a digit") }
    while isDigit(at: offset) { offset += 1 }
  }

  // MARK: - Text

  private mutating func text() throws(ModelError) -> String {
    let start = offset
    var content: [UInt8] = []
    offset += 1
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw error("a control character must be escaped") }
      offset += 1
      if byte == UInt8(ascii: "\\") {
        content += try escaped()
      } else {
        content.append(byte)
      }
    }
    guard take("\"") else { throw error("the text that starts at byte \(start + 1) does not end") }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw error("the text that starts at byte \(start + 1) is not UTF-8")
    }
    return text
  }

  private mutating func escaped() throws(ModelError) -> [UInt8] {
    guard let letter = next else { throw error("unexpected end of the document") }
    offset += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return try unicode()
    default: throw error("unknown escape sequence")
    }
  }

  /// Reads an escape of four hexadecimal digits, or of a surrogate pair.
  private mutating func unicode() throws(ModelError) -> [UInt8] {
    var code = try hexadecimal()
    if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
      let low = try hexadecimal()
      guard (0xDC00..<0xE000).contains(low) else { throw error("incomplete surrogate pair") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw error("incomplete surrogate pair") }
    return [UInt8](String(Character(scalar)).utf8)
  }

  private mutating func hexadecimal() throws(ModelError) -> UInt32 {
    let digits = bytes[offset...].prefix(4)
    guard digits.count == 4,
      let value = [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self))
    else { throw error("expected four hexadecimal digits") }
    offset += 4
    return value.reduce(0) { $0 << 8 | UInt32($1) }
  }

  // MARK: - Bytes

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func isDigit(at place: Int) -> Bool {
    place < bytes.count && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
  }

  private func error(_ problem: String) -> ModelError {
    .malformed("not valid JSON at byte \(offset + 1): \(problem)")
  }
}
