/// An event that records a response to a notification on the writing device.
///
/// A grow-only set of events; projections keep the newest 1,000 per source and replica.
public struct ResponseRecorded: Hashable, Sendable {
  /// The notification, in the delivered revision.
  public var subject: ReceiptSubject
  /// The action; its name has 1 to 64 bytes.
  public var action: ResponseAction
  /// The text that the user entered; at most 2,000 bytes.
  public var text: String?
  /// The moment of the response; nil if it is the event's own millisecond, which is not written.
  public var at: Instant?

  /// Creates a value from its parts.
  package init(
    subject: ReceiptSubject, action: ResponseAction, text: String? = nil, at: Instant? = nil
  ) {
    self.subject = subject
    self.action = action
    self.text = text
    self.at = at
  }
}

extension ResponseRecorded: DatedContent {
  package static let kind = Payload.Kind.responseRecorded
  package static let name = "response.recorded"
  package static let merge = MergeRule.growOnlySet
  package static let blank = ResponseRecorded(subject: .push(id: ""), action: .custom(""))

  package var payload: Payload { .responseRecorded(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.visit("subject", choice: &subject, form: .member)
    var revision = subject.revision
    try visitor.defaulted(4, "revision", &revision, ReceiptSubject.firstRevision, 1...256)
    if visitor.isReading { subject.revision = revision }
    var name = action.description
    try visitor.required(5, "action", &name, 1...64)
    if visitor.isReading { action = ResponseAction(name) }
    try visitor.optional(6, "text", &text, 0...Limit.maxLongBytes)
    try visitor.optional(7, "at", &at)
  }

  package var erasureSubject: ErasureSubject { subject.erasureSubject }

  package func summary(_ words: some SummaryWords) -> String {
    "\(subject.name(words)) \(action)"
  }
}
