/// Records items that were fetched from a source and alert from now on no more.
///
/// A grow set of (event, place in it); projections keep the newest 1,000 of a source and replica.
public struct ItemObserved: Hashable, Sendable {
  /// One item in one revision.
  public struct Item: Hashable, Sendable {
    /// The source's id; 1 to 256 bytes.
    public var item: String
    /// What changes when the item changes; 1 to 256 bytes.
    public var revision: String
    /// At most 200 bytes.
    public var title: String?

    /// Makes a value of its parts.
    public init(
      item: String, revision: String = ReceiptSubject.firstRevision, title: String? = nil
    ) {
      self.item = item
      self.revision = revision
      self.title = title
    }
  }

  /// The name of the source; 1 to 200 bytes.
  public var source: String
  /// 1 to 500, in the order in which they came.
  public var items: [Item]

  /// Makes a value of its parts.
  public init(source: String, items: [Item]) {
    self.source = source
    self.items = items
  }

  /// The most items that one event may name.
  public static let maxItems = 500
}

/// A notification came to a state on the writing device.
///
/// A grow set of events; projections keep the newest 1,000 of a source and replica. The states
/// reached count together, whatever their order.
public struct ReceiptAdvanced: Hashable, Sendable {
  /// What the notification was of.
  public var subject: ReceiptSubject
  /// Of what it showed; 1 to 256 bytes.
  ///
  /// An occurrence has `0`, or while a snooze is in force the milliseconds until which it was
  /// snoozed.
  public var revision: String
  /// How far it came.
  public var state: ReceiptState
  /// When the device recorded it; nil where that is the event's own millisecond, and then not
  /// written.
  public var at: Instant?
  /// When the system shows it, or showed it.
  ///
  /// Past it what was `submitted` is presumed to be shown; of `delivered` nil where it is ``at``.
  public var fireAt: Instant?

  /// Makes a value of its parts.
  public init(
    subject: ReceiptSubject, revision: String = ReceiptSubject.firstRevision,
    state: ReceiptState, at: Instant? = nil, fireAt: Instant? = nil
  ) {
    self.subject = subject
    self.revision = revision
    self.state = state
    self.at = at
    self.fireAt = fireAt
  }
}

/// The person answered a notification on the writing device.
///
/// A grow set of events; projections keep the newest 1,000 of a source and replica.
public struct ResponseRecorded: Hashable, Sendable {
  /// What the notification was of.
  public var subject: ReceiptSubject
  /// Of what it showed; 1 to 256 bytes.
  public var revision: String
  /// `open`, `done`, `skip`, `snooze`, `dismiss` or the app's own name; 1 to 64 bytes.
  public var action: String
  /// What the person wrote; at most 2,000 bytes.
  public var text: String?
  /// When; nil where that is the event's own millisecond, and then not written.
  public var at: Instant?

  /// Makes a value of its parts.
  public init(
    subject: ReceiptSubject, revision: String = ReceiptSubject.firstRevision, action: String,
    text: String? = nil, at: Instant? = nil
  ) {
    self.subject = subject
    self.revision = revision
    self.action = action
    self.text = text
    self.at = at
  }
}

/// The writing device was woken in the background and went back to sleep.
///
/// An own register for each reason.
public struct WakeFinished: Hashable, Sendable {
  /// Why it was woken.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case fetch, push, refresh, launch
  }

  /// What came of it.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    case newData, noData, failed
  }

  /// Why it was woken.
  public var reason: Reason
  /// What came of it.
  public var result: Result
  /// How many things were new; 0...1,000,000.
  public var newCount: Int

  /// Makes a value of its parts.
  public init(reason: Reason, result: Result, newCount: Int = 0) {
    self.reason = reason
    self.result = result
    self.newCount = newCount
  }
}

/// The writing device registered for remote notifications, or failed to.
///
/// An own register for each environment.
public struct PushTokenSet: Hashable, Sendable {
  /// How the registration ended.
  public enum Registration: Hashable, Sendable {
    /// 1 to 1,024 bytes.
    case token([UInt8])
    /// What the system said; 1 to 1,000 bytes.
    case failure(String)
  }

  /// Which of the push service's worlds, such as `development`; 1 to 64 bytes.
  public var environment: String
  /// How the registration ended.
  public var registration: Registration

  /// Makes a value of its parts.
  public init(environment: String, registration: Registration) {
    self.environment = environment
    self.registration = registration
  }
}

/// A remote notification came.
///
/// A register for each id.
public struct PushReceived: Hashable, Sendable {
  /// What the notification asks for.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// To show something.
    case alert
    /// To wake the app.
    case background
    /// Both.
    case both
    /// Nothing that can be read; kept as it came.
    case malformed
  }

  /// The id; 1 to 64 bytes.
  public var id: String
  /// What it asks for.
  public var kind: Kind
  /// Whether the id is the sender's collapse id: a later push of the same id replaces this one.
  public var collapses: Bool
  /// The name of its set of actions; at most 200 bytes.
  public var category: String?
  /// What it is shown together with; at most 200 bytes.
  public var thread: String?
  /// The bytes as they came; at most 4,096.
  public var content: [UInt8]
  /// When; nil where that is the event's own millisecond, and then not written.
  public var at: Instant?

  /// Makes a value of its parts.
  public init(
    id: String, kind: Kind, collapses: Bool = false, category: String? = nil,
    thread: String? = nil, content: [UInt8], at: Instant? = nil
  ) {
    self.id = id
    self.kind = kind
    self.collapses = collapses
    self.category = category
    self.thread = thread
    self.content = content
    self.at = at
  }

  /// The most bytes of a push.
  public static let maxContentBytes = 4_096

  /// Tells pushes of one id apart: the first 16 hexadecimal digits of the content's SHA-256.
  public var revision: String { PayloadDigest(content).hexadecimal(bytes: 8) }
}

/// A file of another app was imported.
///
/// A register for each file, by its hash.
public struct ImportFinished: Hashable, Sendable {
  /// The name of the source, such as `loop`; 1 to 200 bytes.
  public var source: String
  /// The SHA-256 of the file: 32 bytes.
  public var fileHash: [UInt8]
  /// How many things of each name were imported or had no place; at most 32 names of 1 to 64 bytes,
  /// each count 0...10^12.
  public var counts: [String: Int64]

  /// Makes a value of its parts.
  public init(source: String, fileHash: [UInt8], counts: [String: Int64]) {
    self.source = source
    self.fileHash = fileHash
    self.counts = counts
  }

  /// The number of bytes of a file's hash.
  public static let hashByteCount = 32
}
