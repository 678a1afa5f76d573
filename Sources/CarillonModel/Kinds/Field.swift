/// One field of an event kind.
///
/// A kind lists its fields once, in its `visitFields(_:)`. Reading and writing protobuf and JSON,
/// the check of limits and the random values of tests all follow from that list.
package struct Field: Sendable {
  /// The number in `event.proto`.
  package let number: Int
  /// The name in JSON and in the tables of `protocol/EVENTS.md`.
  package let name: String
  /// What the field holds.
  package let type: FieldType
  /// What its absence means.
  package let presence: Presence
  /// The range of a number, or of the bytes of a text or of bytes; nil: the type's own.
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

  /// What the absence of a field means.
  package enum Presence: Hashable, Sendable {
    /// The payload is unreadable. An empty id counts as absent.
    case required
    /// The value is nil.
    case optional
    /// The value is nil; an empty value counts as absent.
    case implicit
    /// The value is the default, which is not written.
    case standard(FieldContent)
    /// As ``standard(_:)``, but JSON must name the value.
    case named(FieldContent)
  }
}

/// What a field holds.
package enum FieldType: Hashable, Sendable {
  case bool
  case uint32, sint32, int64, sint64
  /// Eight bytes.
  case fixed64
  /// Days since 1970-01-01, in the range of ``CivilDate/accepted``.
  case date
  /// Minutes since midnight.
  case time
  /// Milliseconds since 1970 UTC.
  case instant
  case text
  case bytes(BytesNotation)
  /// 16 bytes.
  case id
  /// 32 bytes.
  case eventID
  /// One of several names.
  case name([FieldName])
  /// Any of several names, each of one bit.
  case flags([FieldName])
  /// Weekdays, each of one bit from Monday on.
  case weekdays
  /// Fields of its own.
  case message

  /// How JSON writes bytes.
  package enum BytesNotation: Hashable, Sendable {
    case base64, hexadecimal
  }
}

/// A name that a field's value may have, and its number.
package struct FieldName: Hashable, Sendable {
  package let name: String
  package let number: UInt32

  package init(name: String, number: UInt32) {
    self.name = name
    self.number = number
  }
}

/// The value of a field, without its type in Swift.
package enum FieldContent: Hashable, Sendable {
  case bool(Bool)
  /// Any number: also of a date, a time, an instant, a name, or flags.
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  case id(high: UInt64, low: UInt64)
  case eventID(EventID)
  /// A field of a habit that is cleared.
  case cleared
}

extension FieldContent: CustomStringConvertible {
  /// Such as `number 9`, for messages.
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
      guard (0..<(1 << 45)).contains(milliseconds) else {
        throw invalid("must be after 1970 and before 2^45 ms (the year 3084)")
      }
    case (_, .integer(let number)):
      guard let limit, !limit.contains(number) else { return }
      throw invalid(
        "\(number) is out of range; from \(limit.lowerBound) to \(limit.upperBound) is allowed")
    default: break
    }
  }

  /// Checks the number of a list's elements.
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

  /// An error about the field's value.
  package func invalid(_ problem: String) -> ModelError { .invalid(name, problem) }
}
