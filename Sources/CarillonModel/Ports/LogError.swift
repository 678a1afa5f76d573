/// An error of an event log.
///
/// The failed operation wrote nothing.
public struct LogError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure; its text is stable, so that tools may match it.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The raw value.
    public let rawValue: String

    /// Creates a code from a raw value.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// There is no log at the path.
    public static let notFound = Code(rawValue: "notFound")
    /// There is a log at the path already.
    public static let alreadyExists = Code(rawValue: "alreadyExists")
    /// The log was written in a format of another version.
    ///
    /// Use a newer Carillon.
    public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
    /// The files are damaged.
    ///
    /// Sync, with an audit, with a replica that holds the events. If the log cannot be opened,
    /// create a new replica from that one.
    public static let corrupt = Code(rawValue: "corrupt")
    /// A run does not hash to the ID that it names, or exceeds a limit.
    public static let corruptRun = Code(rawValue: "corruptRun")
    /// A payload is empty or over 16,384 bytes.
    public static let payloadTooLarge = Code(rawValue: "payloadTooLarge")
    /// The wall clock is before 1970, or at 2^45 ms or later: set the clock.
    public static let clockExhausted = Code(rawValue: "clockExhausted")
    /// The disk is full, or the log reached the limit of its map.
    ///
    /// Free some space and try again.
    public static let full = Code(rawValue: "full")
    /// The directory cannot be written.
    public static let readOnly = Code(rawValue: "readOnly")
    /// Too many processes or readers use the log.
    ///
    /// Try again.
    public static let busy = Code(rawValue: "busy")
    /// The handle is closed.
    public static let closed = Code(rawValue: "closed")
    /// The operating system reported an error.
    public static let io = Code(rawValue: "io")
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence for people: the problem, the value, the limit.
  public let message: String
  /// The underlying error, if there is one.
  public let cause: (any Error)?

  /// Creates an error.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}

extension LogError {
  /// The reason for an error, if the next step depends on it; stored as the error's `cause`.
  package enum Reason: Error, Hashable {
    /// The log can be read but not written, because this problem contradicts its contents;
    /// compacting repairs it.
    case needsCompacting(problem: String)
    /// Two processes that use the log have the same process ID, so it stays busy however often they
    /// try.
    case sharedProcessID
    /// This process may not reserve the address space that the log needs.
    case addressSpace
    /// A file or directory at this path, not created by Carillon, is in the way of the log's files.
    case foreignFile(path: String)
  }

  /// The reason for the error, if the next step depends on it.
  package var reason: Reason? { cause as? Reason }

  /// Whether the log must be compacted before it can be written.
  package var needsCompacting: Bool {
    if case .needsCompacting = reason { true } else { false }
  }
}
