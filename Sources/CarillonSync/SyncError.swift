public import CarillonModel
package import CarillonWire

/// The reason why a sync ended early.
///
/// Events exchanged before the error are kept.
public typealias SyncError = CodedError<SyncErrorCode>

/// The code of a ``SyncError``.
public struct SyncErrorCode: ErrorCode {
  /// The stable text.
  public let rawValue: String

  /// Creates a code from its text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The peer holds a different store.
  public static let otherStore = Self(rawValue: "otherStore")
  /// The peer speaks another version of the protocol.
  ///
  /// Update Carillon on the older side.
  public static let unsupportedVersion = Self(rawValue: "unsupportedVersion")
  /// A message exceeds the agreed size limit.
  public static let messageTooLarge = Self(rawValue: "messageTooLarge")
  /// A log has more heads than a vector can hold, because it was copied or restored repeatedly.
  public static let tooManyHeads = Self(rawValue: "tooManyHeads")
  /// A run does not hash to the ID it names, or breaks a rule.
  ///
  /// Verify the sender's log.
  public static let corruptRun = Self(rawValue: "corruptRun")
  /// A timestamp has its top bit set or is not above its predecessor's.
  public static let clock = Self(rawValue: "clock")
  /// The peer is busy; try again after the time it names.
  public static let retryAfter = Self(rawValue: "retryAfter")
  /// Bytes that are not a message, or a message that breaks the protocol.
  public static let malformed = Self(rawValue: "malformed")
  /// The peer does not know this device.
  public static let notInvited = Self(rawValue: "notInvited")
  /// The peer revoked this device's access.
  public static let revoked = Self(rawValue: "revoked")
  /// No answer arrived, or the transport ended.
  ///
  /// Everything received is kept; sync again.
  public static let unreachable = Self(rawValue: "unreachable")
  /// The peer answers, but the sync makes no progress.
  public static let noProgress = Self(rawValue: "noProgress")
  /// The log of this side failed; see the cause.
  public static let log = Self(rawValue: "log")
}

extension SyncErrorCode: TranslatingErrorCode {
  /// Returns the sync's error for any error of the log.
  package static func translating(_ error: any Error) -> SyncError {
    (error as? SyncError)
      ?? SyncError(code: .log, message: "the log failed: \(error)", cause: error)
  }
}

extension SyncError {
  /// Creates an error from a refusal by the peer.
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
    self.init(code: code, message: "the peer refused: \(refusal.words)")
  }

  /// Creates an error from bytes that could not be decoded as a message.
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
      message: "the log has \(count) heads; the limit is \(SyncMessage.maxHeads)")
  }
}
