internal import CarillonModel
internal import Foundation

/// The JSON form of a field's value, by the field's type.
extension FieldType {
  /// A description of the allowed values for messages, such as `a date such as 2026-11-23`.
  var allowed: String {
    switch self {
    case .bool: "true or false"
    case .uint32, .sint32, .int64, .sint64, .fixed64: "a whole number"
    case .date: "a date such as 2026-11-23"
    case .time: "a time such as 07:30, from 00:00 to 23:59"
    case .instant: "an instant such as 2026-11-23T16:00:00.000Z"
    case .text: "text"
    case .bytes(.base64): "base64"
    case .bytes(.hexadecimal): "hexadecimal digits, two per byte"
    case .id: "a UUID"
    case .eventID: "an event ID of 64 hexadecimal digits"
    case .name(let names): "one of " + names.map(\.name).joined(separator: ", ")
    case .flags(let names): "a list of " + names.map(\.name).joined(separator: ", ")
    case .weekdays: "a list of " + Weekday.allCases.map(\.abbreviation).joined(separator: ", ")
    case .message: "an object"
    }
  }

  func json(_ content: FieldContent) -> JSONValue {
    switch (self, content) {
    case (_, .bool(let value)): .bool(value)
    case (.date, .integer(let day)): .text(CivilDate(rawValue: Int32(clamping: day)).description)
    case (.time, .integer(let minute)):
      .text((TimeOfDay(fieldNumber: minute) ?? .midnight).description)
    case (.instant, .integer(let value)): .text(Instant(milliseconds: value).rfc3339())
    case (.name(let names), .integer(let number)):
      names.first { $0.number == number }.map { .text($0.name) } ?? .integer(number)
    case (.flags(let names), .integer(let bits)): Self.flags(bits, names)
    case (.weekdays, .integer(let bits)):
      .array(Weekday.allCases.filter { bits & Int64($0.bit) != 0 }.map { .text($0.abbreviation) })
    case (_, .integer(let number)): .integer(number)
    case (_, .text(let text)): .text(text)
    case (.bytes(.base64), .bytes(let bytes)): .text(Data(bytes).base64EncodedString())
    case (_, .bytes(let bytes)): .text(bytes.hexadecimal)
    case (_, .id(let high, let low)): .text(Identifier<Void>(high: high, low: low).description)
    case (_, .eventID(let id)): .text(id.description)
    case (_, .cleared): .null
    }
  }

  /// Returns bits by name, and bits without a name by number.
  private static func flags(_ bits: Int64, _ names: [FieldName]) -> JSONValue {
    let all: [Int64] = (0..<32).map { 1 << $0 }
    return .array(
      all.filter { bits & $0 != 0 }.map { bit in
        names.first { $0.number == bit }.map { .text($0.name) } ?? .integer(bit)
      })
  }

  /// Reads a value; returns nil if the type does not allow it.
  func content(_ json: JSONValue) -> FieldContent? {
    switch (self, json) {
    case (.bool, .bool(let value)): .bool(value)
    case (.uint32, .integer(let number)), (.sint32, .integer(let number)),
      (.int64, .integer(let number)), (.sint64, .integer(let number)),
      (.fixed64, .integer(let number)):
      .integer(number)
    case (.date, .text(let text)): CivilDate(text)?.fieldContent
    case (.time, .text(let text)): TimeOfDay(text)?.fieldContent
    case (.instant, .text(let text)): Instant(rfc3339: text)?.fieldContent
    case (.text, .text(let text)): .text(text)
    case (.bytes(.base64), .text(let text)):
      Data(base64Encoded: text).map { .bytes([UInt8]($0)) }
    case (.bytes(.hexadecimal), .text(let text)): [UInt8](hexadecimal: text).map { .bytes($0) }
    case (.id, .text(let text)): Identifier<Void>(text)?.fieldContent
    case (.eventID, .text(let text)): EventID(text)?.fieldContent
    case (.name(let names), .text(let text)):
      names.first { $0.name == text }.map { .integer(Int64($0.number)) }
    case (.flags(let names), .array(let values)):
      Self.bits(values) { value in
        switch value {
        case .text(let name): names.first { $0.name == name }.map { Int64($0.number) }
        case .integer(let bit): UInt32(exactly: bit)?.nonzeroBitCount == 1 ? bit : nil
        default: nil
        }
      }
    case (.weekdays, .array(let values)):
      Self.bits(values) { value in
        guard case .text(let name) = value else { return nil }
        return Weekday(abbreviation: name).map { Int64($0.bit) }
      }
    default: nil
    }
  }

  private static func bits(_ values: [JSONValue], _ bit: (JSONValue) -> Int64?) -> FieldContent? {
    let bits = values.compactMap(bit)
    return bits.count == values.count ? .integer(bits.reduce(0, |)) : nil
  }
}
