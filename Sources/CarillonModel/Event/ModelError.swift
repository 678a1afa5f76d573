/// Why a value of the domain was refused.
///
/// The message says what was wrong, where, and what the limit is.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of refusal; stable text, so that tools may match it.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The value itself.
    public let rawValue: String

    /// Takes the value as it is.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The wall clock is before 1970, or at 2^45 ms and above: set the clock.
    public static let clockExhausted = Code(rawValue: "clockExhausted")
    /// A value is outside its limits.
    ///
    /// The message names field and limit.
    public static let invalidValue = Code(rawValue: "invalidValue")
    /// Bytes that are not what they should be.
    ///
    /// The message names the place.
    public static let malformed = Code(rawValue: "malformed")
  }

  /// What kind of refusal.
  public let code: Code
  /// One sentence for people.
  public let message: String
  /// What to do next, where that is known.
  public let hint: String?

  /// Makes an error.
  public init(code: Code, message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message.
  public var description: String { message }

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
