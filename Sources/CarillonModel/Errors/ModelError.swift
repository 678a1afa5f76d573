/// The reason why a value of the domain was rejected.
///
/// The message states what is wrong, where, and the limit.
public typealias ModelError = CodedError<ModelErrorCode>

/// The code of a ``ModelError``.
public struct ModelErrorCode: ErrorCode {
  /// The text of the code.
  public let rawValue: String

  /// Creates a value from a raw value.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The wall clock is before 1970, or at or after 2^45 ms: set the clock.
  public static let clockExhausted = Self(rawValue: "clockExhausted")
  /// A value is outside its limits.
  ///
  /// The message names the field and the limit.
  public static let invalidValue = Self(rawValue: "invalidValue")
  /// Bytes do not have the expected form.
  ///
  /// The message names the place.
  public static let malformed = Self(rawValue: "malformed")
}

extension ModelError {
  package static func invalid(_ field: String, _ problem: String) -> ModelError {
    ModelError(code: .invalidValue, message: "\(field): \(problem)")
  }

  package static func malformed(_ message: String) -> ModelError {
    ModelError(code: .malformed, message: message)
  }

  package static func clockExhausted(_ clock: Instant) -> ModelError {
    ModelError(
      code: .clockExhausted,
      message: "the clock reads \(clock.rfc3339()); "
        + "it must be at or after 1970 and before 2^45 ms since then (the year 3084)")
  }
}
