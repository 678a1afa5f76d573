/// A Swift type that can be the value of a field.
package protocol FieldValue: Sendable {
  static var fieldType: FieldType { get }

  /// The value, independent of its Swift type.
  var fieldContent: FieldContent { get }

  /// Creates a value from a field's content; returns nil if this build does not know it.
  init?(fieldContent: FieldContent)

  /// Replaces the value with a field's content; returns false if this build does not know it.
  mutating func read(_ content: FieldContent) -> Bool

  /// Replaces the value with a field's content, or nil; returns false if this build does not know
  /// it.
  static func read(_ content: FieldContent?, into value: inout Self?) -> Bool

  /// Returns the content of a field that may be absent.
  static func content(of value: Self?) -> FieldContent?
}

// These are requirements so that the compiler specializes them for each type. Generic code would
// look up the layout of the type at run time.
extension FieldValue {
  package mutating func read(_ content: FieldContent) -> Bool {
    guard let value = Self(fieldContent: content) else { return false }
    self = value
    return true
  }

  package static func read(_ content: FieldContent?, into value: inout Self?) -> Bool {
    guard let content else {
      value = nil
      return true
    }
    value = Self(fieldContent: content)
    return value != nil
  }

  package static func content(of value: Self?) -> FieldContent? { value?.fieldContent }
}

// MARK: - Numbers

/// A value that is stored as a number.
package protocol IntegerFieldValue: FieldValue {
  var fieldNumber: Int64 { get }

  init?(fieldNumber: Int64)
}

extension IntegerFieldValue {
  package var fieldContent: FieldContent { .integer(fieldNumber) }

  package init?(fieldContent: FieldContent) {
    guard case .integer(let number) = fieldContent else { return nil }
    self.init(fieldNumber: number)
  }
}

extension Int: IntegerFieldValue {
  package static var fieldType: FieldType { .uint32 }
  package var fieldNumber: Int64 { Int64(self) }

  package init?(fieldNumber: Int64) {
    self.init(exactly: fieldNumber)
  }
}

extension Int32: IntegerFieldValue {
  package static var fieldType: FieldType { .sint32 }
  package var fieldNumber: Int64 { Int64(self) }

  package init?(fieldNumber: Int64) {
    self.init(exactly: fieldNumber)
  }
}

extension Int64: IntegerFieldValue {
  package static var fieldType: FieldType { .int64 }
  package var fieldNumber: Int64 { self }

  package init?(fieldNumber: Int64) {
    self = fieldNumber
  }
}

extension SequenceNumber: IntegerFieldValue {
  package static var fieldType: FieldType { .fixed64 }
  package var fieldNumber: Int64 { Int64(bitPattern: rawValue) }

  package init?(fieldNumber: Int64) {
    self.init(rawValue: UInt64(bitPattern: fieldNumber))
  }
}

extension CivilDate: IntegerFieldValue {
  package static var fieldType: FieldType { .date }
  package var fieldNumber: Int64 { Int64(rawValue) }

  package init?(fieldNumber: Int64) {
    guard let day = Int32(exactly: fieldNumber) else { return nil }
    self.init(rawValue: day)
  }
}

extension TimeOfDay: IntegerFieldValue {
  package static var fieldType: FieldType { .time }
  package var fieldNumber: Int64 { Int64(minute) }

  package init?(fieldNumber: Int64) {
    guard let minute = Int(exactly: fieldNumber) else { return nil }
    self.init(minute: minute)
  }
}

extension Instant: IntegerFieldValue {
  package static var fieldType: FieldType { .instant }
  package var fieldNumber: Int64 { milliseconds }

  package init?(fieldNumber: Int64) {
    self.init(milliseconds: fieldNumber)
  }
}

extension Set: FieldValue, IntegerFieldValue where Element == Weekday {
  package static var fieldType: FieldType { .weekdays }

  package var fieldNumber: Int64 { reduce(0) { $0 | Int64($1.bit) } }

  package init?(fieldNumber: Int64) {
    guard let bits = UInt32(exactly: fieldNumber), bits < 128 else { return nil }
    // Most rules are daily.
    self = bits == 127 ? Weekday.everyDay : Set(Weekday.allCases.filter { bits & $0.bit != 0 })
  }
}

extension Weekday {
  /// The weekday's bit: 1 for Monday to 64 for Sunday.
  package var bit: UInt32 { 1 << (UInt32(rawValue) - 1) }

  fileprivate static let everyDay = Set(allCases)
}

// MARK: - Names

/// An enumeration that is written by name in JSON and by number in protobuf.
///
/// The cases are numbered in order, so a new case must be added at the end.
package protocol NamedFieldValue: IntegerFieldValue, CaseIterable, Hashable,
  RawRepresentable<String>
{
  /// The names and numbers of the cases.
  ///
  /// Use ``numbered(from:)`` with 0, or with 1 if 0 means that the field is absent.
  static var names: [FieldName] { get }
}

extension NamedFieldValue {
  /// Numbers the cases in order.
  package static func numbered(from first: UInt32) -> [FieldName] {
    zip(first..., allCases).map { FieldName(name: $1.rawValue, number: $0) }
  }

  package static var fieldType: FieldType { .name(names) }

  package var fieldNumber: Int64 {
    // Every case has a number.
    // swift-format-ignore: NeverForceUnwrap
    Int64(zip(Self.names, Self.allCases).first { $1 == self }!.0.number)
  }

  package init?(fieldNumber: Int64) {
    guard let found = zip(Self.names, Self.allCases).first(where: { $0.0.number == fieldNumber })
    else { return nil }
    self = found.1
  }
}

extension NamedOptions {
  /// The type of a field with such options.
  ///
  /// Each type keeps it in a constant, because it contains the names.
  static var flags: FieldType {
    .flags(named.map { FieldName(name: $0.name, number: $0.option.rawValue) })
  }

  package var fieldNumber: Int64 { Int64(rawValue) }

  package init?(fieldNumber: Int64) {
    self.init(rawValue: UInt32(truncatingIfNeeded: fieldNumber))
  }
}

// MARK: - Others

extension Bool: FieldValue {
  package static var fieldType: FieldType { .bool }
  package var fieldContent: FieldContent { .bool(self) }

  package init?(fieldContent: FieldContent) {
    guard case .bool(let value) = fieldContent else { return nil }
    self = value
  }
}

extension String: FieldValue {
  package static var fieldType: FieldType { .text }
  package var fieldContent: FieldContent { .text(self) }

  package init?(fieldContent: FieldContent) {
    guard case .text(let text) = fieldContent else { return nil }
    self = text
  }
}

extension Identifier: FieldValue {
  package static var fieldType: FieldType { .id }
  package var fieldContent: FieldContent { .id(high: high, low: low) }

  package init?(fieldContent: FieldContent) {
    guard case .id(let high, let low) = fieldContent else { return nil }
    self.init(high: high, low: low)
  }
}

extension EventID: FieldValue {
  package static var fieldType: FieldType { .eventID }
  package var fieldContent: FieldContent { .eventID(self) }

  package init?(fieldContent: FieldContent) {
    guard case .eventID(let id) = fieldContent else { return nil }
    self = id
  }
}
