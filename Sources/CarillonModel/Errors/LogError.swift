/// An error of an event log.
///
/// The failed operation wrote nothing.
public typealias LogError = CodedError<LogErrorCode>

/// The code of a ``LogError``.
public struct LogErrorCode: ErrorCode {
  /// The raw value.
  public let rawValue: String

  /// Creates a code from a raw value.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// There is no log at the path.
  public static let notFound = Self(rawValue: "notFound")
  /// There is a log at the path already.
  public static let alreadyExists = Self(rawValue: "alreadyExists")
  /// The log was written in a format of another version.
  ///
  /// Use a newer Carillon.
  public static let unsupportedFormat = Self(rawValue: "unsupportedFormat")
  /// The files are damaged.
  ///
  /// Sync, with an audit, with a replica that holds the events. If the log cannot be opened,
  /// create a new replica from that one.
  public static let corrupt = Self(rawValue: "corrupt")
  /// A run does not hash to the ID that it names, or exceeds a limit.
  public static let corruptRun = Self(rawValue: "corruptRun")
  /// A payload is empty or over 16,384 bytes.
  public static let payloadTooLarge = Self(rawValue: "payloadTooLarge")
  /// The wall clock is before 1970, or at 2^45 ms or later: set the clock.
  public static let clockExhausted = Self(rawValue: "clockExhausted")
  /// The disk is full, or the log reached the limit of its map.
  ///
  /// Free some space and try again.
  public static let full = Self(rawValue: "full")
  /// The directory cannot be written.
  public static let readOnly = Self(rawValue: "readOnly")
  /// A path is too long.
  package static let invalidValue = Self(rawValue: "invalidValue")
  /// Too many processes or readers use the log.
  ///
  /// Try again.
  public static let busy = Self(rawValue: "busy")
  /// The handle is closed.
  public static let closed = Self(rawValue: "closed")
  /// The operating system reported an error.
  public static let io = Self(rawValue: "io")
}

extension CodedError {
  /// Whether the log must be compacted before it can be written.
  package var needsCompacting: Bool {
    if case .needsCompacting = reason { true } else { false }
  }
}
