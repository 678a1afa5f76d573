/// An error of the projections, or of reading another app's database.
///
/// It never affects the log.
package struct ProjectionError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure, as stable text that tools may match.
  package struct Code: RawRepresentable, Hashable, Sendable {
    /// The text of the code.
    package let rawValue: String

    /// Creates a code from a raw value.
    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The file is missing, damaged, or belongs to another log; opening the store builds it again.
    package static let damaged = Code(rawValue: "damaged")
    /// Another process held the file for too long; try again.
    package static let busy = Code(rawValue: "busy")
    /// The disk is full; make room and try again.
    package static let full = Code(rawValue: "full")
    /// The directory cannot be written.
    package static let readOnly = Code(rawValue: "readOnly")
    /// The task was cancelled; nothing changed.
    package static let cancelled = Code(rawValue: "cancelled")
    /// The handle was closed.
    package static let closed = Code(rawValue: "closed")
    /// The contents of another app's file are invalid; the message names the place.
    package static let invalidValue = Code(rawValue: "invalidValue")
    /// The version of another app's file is later than every known one.
    package static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
    /// SQLite or the operating system refused.
    package static let io = Code(rawValue: "io")
  }

  /// The kind of failure.
  package let code: Code
  /// One sentence for people: what is wrong, the value and the limit.
  package let message: String
  /// The underlying error, if there is one.
  package let cause: (any Error)?
  /// The file that another process holds, if the message does not name that process.
  package let heldFile: String?

  /// Creates a value from its parts.
  package init(
    code: Code, message: String, cause: (any Error)? = nil, heldFile: String? = nil
  ) {
    self.code = code
    self.message = message
    self.cause = cause
    self.heldFile = heldFile
  }

  /// The message.
  package var description: String { message }
}
