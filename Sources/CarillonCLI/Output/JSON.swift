/// A JSON document whose objects keep the order in which they were written.
///
/// Scripts compare output as text, so the same answer must give the same bytes.
enum JSON {
  case null
  case bool(Bool)
  case whole(Int64)
  /// Written with three digits after the point.
  case number(Double)
  case string(String)
  case elements([JSON])
  case members([Member])
  /// A document that is text already; taken as it is.
  case raw(String)

  /// A whole number of any type; one beyond 64 bits is clamped.
  static func integer(_ value: some BinaryInteger) -> JSON {
    .whole(Int64(clamping: value))
  }

  /// One member of an object.
  struct Member {
    let key: String
    let value: JSON
  }

  /// An object whose members keep their order.
  static func object(_ members: [(key: String, value: JSON)]) -> JSON {
    .members(members.map { Member(key: $0.key, value: $0.value) })
  }

  /// A text.
  static func text(_ value: String) -> JSON {
    .string(value)
  }

  /// The text of a value, or null.
  static func text(_ value: (some CustomStringConvertible)?) -> JSON {
    value.map { .string($0.description) } ?? .null
  }

  /// The elements as they are.
  static func array(_ values: [JSON]) -> JSON {
    .elements(values)
  }

  /// One element for each value.
  static func array<Value>(_ values: some Sequence<Value>, _ element: (Value) -> JSON) -> JSON {
    .elements(values.map(element))
  }

  /// The members of two objects, one after the other.
  func merging(_ other: JSON) -> JSON {
    guard case .members(let own) = self, case .members(let more) = other else { return self }
    return .members(own + more)
  }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .members(elements.map { Member(key: $0.0, value: $0.1) })
  }

  init(arrayLiteral elements: JSON...) {
    self = .elements(elements)
  }
}

// MARK: - Writing

extension JSON {
  /// The document on one line, without blanks and without a line break.
  var line: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .whole(let value): text += String(value)
    case .number(let value): text += Self.decimal(value)
    case .string(let value): Self.write(value, to: &text)
    case .raw(let value): text += value
    case .elements(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .members(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func decimal(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "null" }
    let thousandths = Int64((value * 1000).rounded())
    let fraction = String(thousandths.magnitude % 1000)
    let sign = thousandths < 0 ? "-" : ""
    return "\(sign)\(thousandths.magnitude / 1000)."
      + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
