/// A remote notification came.
///
/// An LWW register for each id.
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
    try visitor.optional(4, "category", &category, 0...200)
    try visitor.optional(5, "thread", &thread, 0...200)
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
