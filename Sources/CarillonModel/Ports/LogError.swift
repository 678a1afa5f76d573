/// Why an event log could not do what was asked.
///
/// Nothing was written.
public struct LogError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure; stable text, so that tools may match it.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The value itself.
    public let rawValue: String

    /// Takes the value as it is.
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
    /// Sync, with an audit, with a replica that holds the events; where the log cannot be opened,
    /// make a new replica from that one.
    public static let corrupt = Code(rawValue: "corrupt")
    /// A run does not come to the ID it names, or breaks a limit.
    public static let corruptRun = Code(rawValue: "corruptRun")
    /// A payload is empty or over 16,384 bytes.
    public static let payloadTooLarge = Code(rawValue: "payloadTooLarge")
    /// The wall clock is before 1970, or at 2^45 ms and above: set the clock.
    public static let clockExhausted = Code(rawValue: "clockExhausted")
    /// The disk, or the map's limit, is full.
    ///
    /// Make room and try again.
    public static let full = Code(rawValue: "full")
    /// The directory cannot be written.
    public static let readOnly = Code(rawValue: "readOnly")
    /// Too many processes or readers hold the log.
    ///
    /// Try again.
    public static let busy = Code(rawValue: "busy")
    /// The handle was closed.
    public static let closed = Code(rawValue: "closed")
    /// The operating system refused.
    public static let io = Code(rawValue: "io")
  }

  /// What kind of failure.
  public let code: Code
  /// One sentence for people: what, where, the limit.
  public let message: String
  /// What lies beneath, where something does.
  public let cause: (any Error)?

  /// Makes an error.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}

extension LogError {
  /// What is behind an error, where it decides what to try next: the error's `cause`.
  package enum Reason: Error, Hashable {
    /// The log can be read but not written, since this contradicts what it holds; compacting
    /// repairs it.
    case needsCompacting(problem: String)
    /// Two processes that want the log have one process ID, so that it stays busy however often
    /// they try.
    case sharedProcessID
    /// This process may not have the address space that the log needs.
    case addressSpace
    /// This path is in the way of the log's files, and was not made by Carillon.
    case foreignFile(path: String)
  }

  /// What is behind the error, where it decides what to try next.
  package var reason: Reason? { cause as? Reason }

  /// Whether the log can only be written after it was compacted.
  package var needsCompacting: Bool {
    if case .needsCompacting = reason { true } else { false }
  }
}
