/// The stable codes of one kind of error.
///
/// The text of a code does not change, so that tools may match it.
public protocol ErrorCode: RawRepresentable, Hashable, Sendable where RawValue == String {}

/// An error with a stable code and a message for people.
///
/// A failed operation wrote nothing, unless its documentation says otherwise.
public struct CodedError<Kind: ErrorCode>: Error, Sendable {
  /// The codes of this kind of error.
  public typealias Code = Kind

  /// The parts are in an object of their own, so that a `throws` with this type returns one word.
  private final class Parts: Sendable {
    let code: Kind
    let message: String
    let reason: ErrorReason?
    let index: Int?
    let hint: String?
    let cause: (any Error)?

    init(
      _ code: Kind, _ message: String, _ reason: ErrorReason?, _ index: Int?, _ hint: String?,
      _ cause: (any Error)?
    ) {
      (self.code, self.message, self.reason) = (code, message, reason)
      (self.index, self.hint, self.cause) = (index, hint, cause)
    }
  }

  private let parts: Parts

  /// The kind of failure.
  public var code: Kind { parts.code }
  /// What is wrong, where, and the limit; lower case, without a full stop.
  public var message: String { parts.message }
  /// The index, from 0, of the argument that the error concerns; nil if it concerns none.
  public var index: Int? { parts.index }
  /// What to try next, if the code alone does not say it.
  public var hint: String? { parts.hint }
  /// The underlying error, if there is one.
  public var cause: (any Error)? { parts.cause }
  /// The finer reason, if the next step depends on it.
  package var reason: ErrorReason? { parts.reason }

  /// Creates an error from its parts.
  public init(
    code: Kind, message: String, index: Int? = nil, hint: String? = nil, cause: (any Error)? = nil
  ) {
    parts = Parts(code, message, nil, index, hint, cause)
  }

  /// Creates an error whose next step depends on a finer reason than the code.
  package init(
    code: Kind, message: String, reason: ErrorReason?, index: Int? = nil, hint: String? = nil,
    cause: (any Error)? = nil
  ) {
    parts = Parts(code, message, reason, index, hint, cause)
  }
}

extension CodedError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension CodedError: Hashable {
  /// Compares everything but the causes.
  public static func == (left: Self, right: Self) -> Bool {
    left.parts === right.parts
      || left.code == right.code && left.message == right.message && left.reason == right.reason
        && left.index == right.index && left.hint == right.hint
  }

  /// Hashes the code and the message.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
  }
}

/// The codes of an error that replaces the errors of lower layers.
package protocol TranslatingErrorCode: ErrorCode {
  /// Returns the error of this layer for any error.
  static func translating(_ error: any Error) -> CodedError<Self>
}

extension CodedError where Kind: TranslatingErrorCode {
  /// Creates the error of this kind for any error.
  package init(translating error: any Error) {
    self = Kind.translating(error)
  }

  /// Runs a body and replaces its error by one of this kind.
  package static func translating<Result>(
    _ body: () throws -> Result
  ) throws(CodedError<Kind>) -> Result {
    do { return try body() } catch { throw Kind.translating(error) }
  }
}
