internal import CarillonModel
internal import Foundation

/// A value that stands in the JSON form of events.
protocol JSONConvertible {
  /// What is allowed, for messages: `a date such as 2026-11-23`.
  static var allowed: String { get }

  /// The value in JSON.
  var json: JSONValue { get }

  /// Reads a value, or gives nil for what is not allowed.
  init?(json: JSONValue)
}

extension JSONConvertible where Self: TextCodable {
  var json: JSONValue { .text(description) }

  init?(json: JSONValue) {
    guard case .text(let text) = json else { return nil }
    self.init(text)
  }
}

extension Identifier: JSONConvertible {
  static var allowed: String { "a UUID" }
}

extension EventID: JSONConvertible {
  static var allowed: String { "an event ID of 64 hexadecimal digits" }
}

extension CivilDate: JSONConvertible {
  static var allowed: String { "a date such as 2026-11-23" }
}

extension TimeOfDay: JSONConvertible {
  static var allowed: String { "a time such as 07:30, from 00:00 to 23:59" }
}

extension Instant: JSONConvertible {
  static var allowed: String { "an instant such as 2026-11-23T16:00:00.000Z" }

  var json: JSONValue { .text(rfc3339()) }

  init?(json: JSONValue) {
    guard case .text(let text) = json else { return nil }
    self.init(rfc3339: text)
  }
}

extension String: JSONConvertible {
  static var allowed: String { "text" }

  var json: JSONValue { .text(self) }

  init?(json: JSONValue) {
    guard case .text(let text) = json else { return nil }
    self = text
  }
}

extension Bool: JSONConvertible {
  static var allowed: String { "true or false" }

  var json: JSONValue { .bool(self) }

  init?(json: JSONValue) {
    guard case .bool(let value) = json else { return nil }
    self = value
  }
}

extension Int64: JSONConvertible {
  static var allowed: String { "a whole number" }

  var json: JSONValue { .integer(self) }

  init?(json: JSONValue) {
    guard case .integer(let value) = json else { return nil }
    self = value
  }
}

extension Int: JSONConvertible {
  static var allowed: String { Int64.allowed }

  var json: JSONValue { .integer(Int64(self)) }

  init?(json: JSONValue) {
    guard let value = Int64(json: json) else { return nil }
    self.init(exactly: value)
  }
}

extension Int32: JSONConvertible {
  static var allowed: String { Int64.allowed }

  var json: JSONValue { .integer(Int64(self)) }

  init?(json: JSONValue) {
    guard let value = Int64(json: json) else { return nil }
    self.init(exactly: value)
  }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  static var allowed: String { "a list; each element \(Element.allowed)" }

  var json: JSONValue { .array(map(\.json)) }

  init?(json: JSONValue) {
    guard case .array(let values) = json else { return nil }
    let elements = values.compactMap(Element.init(json:))
    guard elements.count == values.count else { return nil }
    self = elements
  }
}

/// An enumeration whose cases are written by their names.
protocol JSONNamed: JSONConvertible, CaseIterable, RawRepresentable<String> {}

extension JSONNamed {
  static var allowed: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }

  var json: JSONValue { .text(rawValue) }

  init?(json: JSONValue) {
    guard case .text(let text) = json else { return nil }
    self.init(rawValue: text)
  }
}

extension DayMark: JSONNamed {}
extension Permission.Status: JSONNamed {}
extension PermissionAsked.Step: JSONNamed {}
extension PermissionAsked.Outcome: JSONNamed {}
extension Device.Role: JSONNamed {}

extension Weekday: JSONConvertible {
  static var allowed: String {
    "one of " + allCases.map(\.abbreviation).joined(separator: ", ")
  }

  var json: JSONValue { .text(abbreviation) }

  init?(json: JSONValue) {
    guard case .text(let text) = json else { return nil }
    self.init(abbreviation: text)
  }
}

/// A set of bits.
///
/// Those with a name are written by it, others by their number.
protocol JSONFlags: JSONConvertible, NamedOptions {}

extension JSONFlags {
  static var allowed: String {
    "a list of " + named.map(\.name).joined(separator: ", ")
  }

  var json: JSONValue {
    let all: [UInt32] = (0..<32).map { 1 << $0 }
    let bits = all.filter { rawValue & $0 != 0 }
    return .array(
      bits.map { bit in
        Self(rawValue: bit).names.first.map(JSONValue.text) ?? .integer(Int64(bit))
      })
  }

  init?(json: JSONValue) {
    guard case .array(let values) = json else { return nil }
    var bits: UInt32 = 0
    for value in values {
      guard let bit = Self.bit(value) else { return nil }
      bits |= bit
    }
    self.init(rawValue: bits)
  }

  private static func bit(_ value: JSONValue) -> UInt32? {
    switch value {
    case .text(let name): Self(name: name)?.rawValue
    case .integer(let number):
      UInt32(exactly: number).flatMap { $0.nonzeroBitCount == 1 ? $0 : nil }
    default: nil
    }
  }
}

extension Condition: JSONFlags {}
extension Permission.Options: JSONFlags {}

/// Bytes, in base64.
struct JSONBytes: JSONConvertible, Equatable {
  static var allowed: String { "base64" }

  var bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var json: JSONValue { .text(Data(bytes).base64EncodedString()) }

  init?(json: JSONValue) {
    guard case .text(let text) = json, let data = Data(base64Encoded: text) else { return nil }
    bytes = [UInt8](data)
  }
}

/// The SHA-256 of a payload.
struct JSONDigest: JSONConvertible, Equatable {
  let digest: PayloadDigest

  init(_ digest: PayloadDigest) {
    self.digest = digest
  }

  static var allowed: String { "a digest of 64 hexadecimal digits" }

  var json: JSONValue { .text(digest.bytes.hexadecimal) }

  init?(json: JSONValue) {
    guard case .text(let text) = json, let bytes = [UInt8](hexadecimal: text),
      bytes.count == EventID.byteCount
    else { return nil }
    digest = bytes.withUnsafeBytes { PayloadDigest(loading: $0) }
  }
}
