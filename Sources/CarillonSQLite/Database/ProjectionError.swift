/// Why the projections, or another app's database, could not do what was asked.
///
/// The log is never harmed by it.
package struct ProjectionError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure; stable text, so that tools may match it.
  package struct Code: RawRepresentable, Hashable, Sendable {
    /// The text form.
    package let rawValue: String

    /// Takes the text as it is.
    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The file is missing, damaged, or not of this log; opening the store builds it anew.
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
    /// A file of another app is not what it should be; the message says what and where.
    package static let invalidValue = Code(rawValue: "invalidValue")
    /// A file of another app is of a later version than any known.
    package static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
    /// SQLite or the operating system refused.
    package static let io = Code(rawValue: "io")
  }

  /// What kind of failure.
  package let code: Code
  /// One sentence for people: what, where, what to do.
  package let message: String
  /// What lies beneath, where something does.
  package let cause: (any Error)?
  /// The file that another process holds, where the message does not say which process.
  package let heldFile: String?

  /// Makes a value of its parts.
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
