/// An event that records the arrival of a remote notification.
///
/// An LWW register per ID.
public struct PushReceived: Hashable, Sendable {
  /// The purpose of the notification.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The notification alerts the user.
    case alert
    /// The notification wakes the app.
    case background
    /// The notification does both.
    case both
    /// The notification cannot be read; it is kept as received.
    case malformed
  }

  /// The notification's ID; 1 to 64 bytes.
  package var id: String
  /// The purpose of the notification.
  package var kind: Kind
  /// Whether the ID is the sender's collapse ID.
  ///
  /// If so, a later push with the same ID replaces this one.
  package var collapses: Bool
  /// The name of the notification's set of actions; at most 200 bytes.
  package var category: String?
  /// The thread that groups the notification with others; at most 200 bytes.
  package var thread: String?
  /// The content as received; at most 4,096 bytes.
  package var content: [UInt8]
  /// The moment of arrival; nil if it is the event's own millisecond, which is not written.
  package var at: Instant?

  /// Creates a value from its parts.
  package init(
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

  /// The maximum size of a push in bytes.
  package static let maxContentBytes = 4_096

  /// A text that distinguishes pushes with the same ID: the first 16 hexadecimal digits of the
  /// content's SHA-256.
  package var revision: String { PayloadDigest(content).hexadecimal(bytes: 8) }
}

extension PushReceived: DatedContent {
  package static let kind = Payload.Kind.pushReceived
  package static let name = "push.received"
  package static let merge = MergeRule.lwwRegister
  package static let blank = PushReceived(id: "", kind: .malformed, content: [])

  package var payload: Payload { .pushReceived(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "push", &id, 1...64)
    try visitor.required(2, "kind", &kind)
    try visitor.defaulted(3, "collapses", &collapses, false)
    try visitor.optional(4, "category", &category, 0...Limit.maxShortBytes)
    try visitor.optional(5, "thread", &thread, 0...Limit.maxShortBytes)
    try visitor.bytes(
      6, "content", &content, 0...Int64(Self.maxContentBytes), as: .base64,
      presence: .named(.bytes([])))
    try visitor.optional(7, "at", &at)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    "\(id) \(kind.rawValue)"
  }
}
