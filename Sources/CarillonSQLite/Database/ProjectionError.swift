package import CarillonModel

/// An error of the projections, or of reading another app's database.
///
/// It never affects the log.
package typealias ProjectionError = CodedError<ProjectionErrorCode>

/// The code of a ``ProjectionError``.
package struct ProjectionErrorCode: ErrorCode {
  /// The text of the code.
  package let rawValue: String

  /// Creates a code from a raw value.
  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The file is missing, damaged, or belongs to another log; opening the store builds it again.
  package static let damaged = Self(rawValue: "damaged")
  /// Another process held the file for too long; try again.
  package static let busy = Self(rawValue: "busy")
  /// The disk is full; make room and try again.
  package static let full = Self(rawValue: "full")
  /// The directory cannot be written.
  package static let readOnly = Self(rawValue: "readOnly")
  /// The task was cancelled; nothing changed.
  package static let cancelled = Self(rawValue: "cancelled")
  /// The handle was closed.
  package static let closed = Self(rawValue: "closed")
  /// The contents of another app's file are invalid; the message names the place.
  package static let invalidValue = Self(rawValue: "invalidValue")
  /// The version of another app's file is later than every known one.
  package static let unsupportedFormat = Self(rawValue: "unsupportedFormat")
  /// SQLite or the operating system refused.
  package static let io = Self(rawValue: "io")
}
