/// One field of an event kind.
///
/// Each kind lists its fields once, in `visitFields(_:)`. Reading and writing protobuf and JSON,
/// checking limits and generating random values for tests all use that list.
package struct Field: Sendable {
  /// The field number in `event.proto`.
  package let number: Int
  /// The name in JSON and in the tables of `protocol/EVENTS.md`.
  package let name: String
  /// The type of the field's value.
  package let type: FieldType
  /// The meaning of an absent field.
  package let presence: Presence
  /// The range of a number, or of the size of a text or bytes; nil for the type's own range.
  package let limit: ClosedRange<Int64>?

  package init(
    number: Int, name: String, type: FieldType, presence: Presence,
    limit: ClosedRange<Int64>? = nil
  ) {
    self.number = number
    self.name = name
    self.type = type
    self.presence = presence
    self.limit = limit
  }

  /// The meaning of an absent field.
  package enum Presence: Hashable, Sendable {
    /// The payload is unreadable.
    ///
    /// An empty ID counts as absent.
    case required
    /// The value is nil.
    case optional
    /// The value is nil; an empty value counts as absent.
    case implicit
    /// The value is the default; the default is never written.
    case standard(FieldContent)
    /// The same as ``standard(_:)``, but in JSON the member is required.
    case named(FieldContent)
  }
}

/// The type of a field's value.
package enum FieldType: Hashable, Sendable {
  case bool
  case uint32, sint32, int64, sint64
  /// A number of eight bytes.
  case fixed64
  /// Days since 1970-01-01, in the range of ``CivilDate/accepted``.
  case date
  /// Minutes since midnight.
  case time
  /// Milliseconds since 1970 UTC.
  case instant
  case text
  case bytes(BytesNotation)
  /// An identifier of 16 bytes.
  case id
  /// An event ID of 32 bytes.
  case eventID
  /// One of several named values.
  case name([FieldName])
  /// Any combination of several named bits.
  case flags([FieldName])
  /// A set of weekdays, one bit each, starting with Monday.
  case weekdays
  /// A nested message.
  case message

  /// The JSON form of bytes.
  package enum BytesNotation: Hashable, Sendable {
    case base64, hexadecimal
  }
}

/// A named value of a field, with its number.
package struct FieldName: Hashable, Sendable {
  package let name: String
  package let number: UInt32

  package init(name: String, number: UInt32) {
    self.name = name
    self.number = number
  }
}

/// The value of a field, independent of its Swift type.
package enum FieldContent: Hashable, Sendable {
  case bool(Bool)
  /// Any number, including a date, a time, an instant, a name or flags.
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  case id(high: UInt64, low: UInt64)
  case eventID(EventID)
  /// A field of a habit that is cleared.
  case cleared
}

extension FieldContent: CustomStringConvertible {
  /// The value in the form used in messages, such as `number 9`.
  package var description: String {
    switch self {
    case .bool(let value): "\(value)"
    case .integer(let number): "number \(number)"
    case .text(let text): text
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .id(let high, let low): Identifier<Void>(high: high, low: low).description
    case .eventID(let id): id.description
    case .cleared: "nothing"
    }
  }
}

// MARK: - Limits

extension Field {
  /// Checks a value against the limit of the field and of its type.
  ///
  /// - Throws: `invalidValue` with the name, the value and the limit.
  package func check(_ content: FieldContent) throws(ModelError) {
    switch (type, content) {
    case (.text, .text(let text)): try checkCount(text.utf8.count, "bytes of UTF-8")
    case (.bytes, .bytes(let bytes)): try checkCount(bytes.count, "bytes")
    case (.date, .integer(let day)):
      guard let date = Int32(exactly: day).map(CivilDate.init(rawValue:)),
        CivilDate.accepted.contains(date)
      else {
        throw invalid(
          "day \(day) is out of range; dates from \(CivilDate.accepted.lowerBound) "
            + "to \(CivilDate.accepted.upperBound) are allowed")
      }
    case (.instant, .integer(let milliseconds)):
      guard (0..<Timestamp.clockLimit).contains(milliseconds) else {
        throw invalid("must be at or after 1970 and before 2^45 ms (the year 3084)")
      }
    case (_, .integer(let number)):
      guard let limit, !limit.contains(number) else { return }
      throw invalid(
        "\(number) is out of range; from \(limit.lowerBound) to \(limit.upperBound) is allowed")
    default: break
    }
  }

  /// Checks the number of elements of a list.
  package func check(count: Int, in range: ClosedRange<Int>) throws(ModelError) {
    guard !range.contains(count) else { return }
    throw invalid(
      "has \(count) elements; from \(range.lowerBound) to \(range.upperBound) are allowed")
  }

  private func checkCount(_ count: Int, _ unit: String) throws(ModelError) {
    guard let limit, !limit.contains(Int64(count)) else { return }
    if limit.lowerBound == limit.upperBound {
      throw invalid("has \(count) \(unit) instead of \(limit.lowerBound)")
    }
    throw invalid(
      "has \(count) \(unit); from \(limit.lowerBound) to \(limit.upperBound) are allowed")
  }

  /// Returns an error about the field's value.
  package func invalid(_ problem: String) -> ModelError { .invalid(name, problem) }
}
