package import CarillonModel
package import CarillonWire

/// Why a sync ended before it was done.
///
/// What was exchanged until then is kept.
public struct SyncError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure; stable text, so that tools may match it.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable text.
    public let rawValue: String

    /// Makes a code of its text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The other side holds another store.
    public static let otherStore = Code(rawValue: "otherStore")
    /// The other side speaks another version.
    ///
    /// Use a newer Carillon there or here.
    public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
    /// A message is over the limit that was agreed.
    public static let messageTooLarge = Code(rawValue: "messageTooLarge")
    /// A log has more heads than a vector may hold: something forks it again and again.
    public static let tooManyHeads = Code(rawValue: "tooManyHeads")
    /// A run does not come to the ID it names, or breaks a rule.
    ///
    /// Verify the sender's log.
    public static let corruptRun = Code(rawValue: "corruptRun")
    /// A timestamp has its top bit set, or is not above its predecessor's.
    public static let clock = Code(rawValue: "clock")
    /// The other side is busy; try again after the time named.
    public static let retryAfter = Code(rawValue: "retryAfter")
    /// Bytes that are no message, or a message that says what it cannot mean.
    public static let malformed = Code(rawValue: "malformed")
    /// The other side does not know this device.
    public static let notInvited = Code(rawValue: "notInvited")
    /// The other side no longer lets this device in.
    public static let revoked = Code(rawValue: "revoked")
    /// No answer came, or the link ended.
    ///
    /// What has arrived is kept; sync again.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The other side answers and yet nothing moves.
    public static let noProgress = Code(rawValue: "noProgress")
    /// The log of this side failed; see the cause.
    public static let log = Code(rawValue: "log")
  }

  /// What kind of failure.
  public let code: Code
  /// One sentence for people: what, where, the limit.
  public let message: String
  /// What lies beneath, where something does.
  public let cause: (any Error)?

  /// Makes a value of its parts.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}

extension SyncError {
  /// What a refusal of the other side comes to here.
  package init(_ refusal: SyncRefusal) {
    let code: Code =
      switch refusal.code {
      case .otherStore: .otherStore
      case .version: .unsupportedVersion
      case .messageTooLarge: .messageTooLarge
      case .tooManyHeads: .tooManyHeads
      case .corruptRun: .corruptRun
      case .clock: .clock
      case .retryAfter: .retryAfter
      case .notInvited: .notInvited
      case .revoked: .revoked
      default: .malformed
      }
    self.init(code: code, message: "the other side refused: \(refusal.words)")
  }

  /// What bytes that are no message come to.
  package init(_ error: ModelError) {
    self.init(code: .malformed, message: error.message, cause: error)
  }

  package static func tooLarge(_ count: Int, limit: Int) -> SyncError {
    SyncError(
      code: .messageTooLarge, message: "a message of \(count) bytes; the limit is \(limit)")
  }

  package static func tooManyHeads(_ count: Int) -> SyncError {
    SyncError(
      code: .tooManyHeads,
      message: "the log has \(count) heads; a vector holds at most \(SyncMessage.maxHeads)")
  }
}
