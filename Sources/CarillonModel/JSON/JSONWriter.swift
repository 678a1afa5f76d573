extension JSONValue: CustomStringConvertible {
  /// The document on one line, without whitespace; equal values have equal texts.
  package var description: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONObject: CustomStringConvertible {
  /// The object on one line, without whitespace.
  package var description: String { JSONValue.object(self).description }
}

/// A writer of JSON without whitespace.
///
/// Only characters that must be escaped are escaped.
private struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(String(value))
    case .number(let text): append(text)
    case .text(let text): write(text)
    case .array(let elements):
      append("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { append(",") }
        write(element)
      }
      append("]")
    case .object(let object):
      append("{")
      for (index, member) in object.members.enumerated() {
        if index > 0 { append(",") }
        write(member.name)
        append(":")
        write(member.value)
      }
      append("}")
    }
  }

  private mutating func write(_ text: String) {
    append("\"")
    defer { append("\"") }
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) { return append(text) }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0A: append("\\n")
      case 0x0C: append("\\f")
      case 0x0D: append("\\r")
      case 0x00..<0x20:
        append("\\u00")
        append(CollectionOfOne(byte).hexadecimal)
      default: bytes.append(byte)
      }
    }
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }
}
