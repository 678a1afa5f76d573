/// One line of a recurrence: a name, parameters and a value.
struct RecurrenceLine {
  /// The name, in upper case.
  let name: String
  /// The names of the given parameters, in upper case.
  let parameters: [String]
  /// TZID.
  let zone: String?
  /// Whether VALUE is DATE; nil if VALUE is not given.
  let isDate: Bool?
  /// The value, as written.
  let value: String

  /// Returns the lines of a text, unfolded and without empty ones.
  static func all(in text: String) throws(ModelError) -> [RecurrenceLine] {
    guard text.utf8.count <= Recurrence.maxByteCount else {
      throw RecurrenceParser.tooLong(text.utf8.count)
    }
    var lines: [RecurrenceLine] = []
    for line in try unfolded(text).split(separator: "\n") {
      lines.append(try RecurrenceLine(line))
    }
    return lines
  }

  /// Returns the text with LF at line ends and without folds.
  ///
  /// A folded line continues on the next one, which starts with a space or a tab.
  private static func unfolded(_ text: String) throws(ModelError) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte == 0x20 || byte == 0x09, bytes.last == 0x0A {
        bytes.removeLast()
        continue
      }
      if byte == 0x0A, bytes.last == 0x0D { bytes.removeLast() }
      bytes.append(byte)
    }
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A }) else {
      throw .refused(
        "the recurrence", "has a character that is not printable ASCII",
        instead: "write lines of ASCII such as RRULE:FREQ=DAILY")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads one line; a line that starts with `FREQ=` is a rule.
  private init(_ line: Substring) throws(ModelError) {
    if line.prefix(5).uppercased() == "FREQ=" {
      (name, parameters, zone, isDate, value) = ("RRULE", [], nil, nil, String(line))
      return
    }
    guard let colon = Self.colon(in: line) else {
      throw .refused(
        Self.excerpt(line), "is not a line of a recurrence",
        instead: "write lines such as RRULE:FREQ=DAILY")
    }
    value = String(line[line.index(after: colon)...])
    let head = line[..<colon].split(separator: ";", omittingEmptySubsequences: false)
    name = head[0].uppercased()
    var zone: String?
    var isDate: Bool?
    var names: [String] = []
    for parameter in head.dropFirst() {
      let sides = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = sides[0].uppercased()
      let text = sides.count == 2 ? sides[1] : ""
      guard !names.contains(key) else {
        throw .refused("\(Self.excerpt(name)) \(key)", "is given twice", instead: "write one")
      }
      names.append(key)
      switch key {
      case "TZID": zone = try Self.zone(text, of: name)
      case "VALUE": isDate = try Self.isDate(text, of: name)
      default:
        throw .refused(
          "\(Self.excerpt(name)) \(Self.excerpt(key))", "is unknown",
          instead: "leave the parameter out; TZID and VALUE may be given")
      }
    }
    (self.zone, self.isDate, parameters) = (zone, isDate, names)
  }

  /// Returns the first colon that is not in quotes.
  private static func colon(in line: Substring) -> Substring.Index? {
    var isQuoted = false
    return line.indices.first { index in
      if line[index] == "\"" { isQuoted.toggle() }
      return line[index] == ":" && !isQuoted
    }
  }

  private static func zone(_ text: Substring, of name: String) throws(ModelError) -> String {
    let isQuoted = text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    let zone = isQuoted ? text.dropFirst().dropLast() : text
    guard (1...64).contains(zone.utf8.count),
      zone.allSatisfy({ $0.isLetter || $0.isNumber || "_+-/".contains($0) })
    else {
      throw .refused(
        "\(name) TZID", "\(excerpt(zone)) is not the name of a zone",
        instead: "write a name of the IANA database such as Europe/Berlin")
    }
    return String(zone)
  }

  private static func isDate(_ text: Substring, of name: String) throws(ModelError) -> Bool {
    switch text.uppercased() {
    case "DATE": return true
    case "DATE-TIME": return false
    default:
      throw .refused(
        "\(name) VALUE", "\(excerpt(text)) is unknown", instead: "write DATE or DATE-TIME")
    }
  }

  /// Returns the beginning of a text for a message.
  static func excerpt(_ text: some StringProtocol) -> String {
    text.count > 40 ? text.prefix(40) + "..." : String(text)
  }
}
