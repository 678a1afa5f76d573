/// An event that records a state that a notification reached on the writing device.
///
/// A grow-only set of events; projections keep the newest 1,000 per source and replica. All states
/// reached count together, whatever their order.
public struct ReceiptAdvanced: Hashable, Sendable {
  /// The notification, in the delivered revision.
  public var subject: ReceiptSubject
  /// The state that was reached.
  public var state: ReceiptState
  /// The moment of recording; nil if it is the event's own millisecond, which is not written.
  public var at: Instant?
  /// The instant at which the notification fires or fired.
  ///
  /// After this instant, a `submitted` notification is presumed delivered. For a `delivered` one it
  /// is nil if it equals ``at``.
  public var fireAt: Instant?

  /// Creates a value from its parts.
  package init(
    subject: ReceiptSubject, state: ReceiptState, at: Instant? = nil, fireAt: Instant? = nil
  ) {
    self.subject = subject
    self.state = state
    self.at = at
    self.fireAt = fireAt
  }
}

extension ReceiptAdvanced: DatedContent {
  package static let kind = Payload.Kind.receiptAdvanced
  package static let name = "receipt.advanced"
  package static let merge = MergeRule.growOnlySet
  package static let blank = ReceiptAdvanced(subject: .push(id: ""), state: .submitted)

  package var payload: Payload { .receiptAdvanced(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.visit("subject", choice: &subject, form: .member)
    var revision = subject.revision
    try visitor.defaulted(4, "revision", &revision, ReceiptSubject.firstRevision, 1...256)
    if visitor.isReading { subject.revision = revision }
    try visitor.required(5, "state", &state)
    try visitor.optional(6, "at", &at)
    try visitor.optional(7, "fireAt", &fireAt)
  }

  package var erasureSubject: ErasureSubject { subject.erasureSubject }

  package func summary(_ words: some SummaryWords) -> String {
    "\(subject.name(words)) \(state.rawValue)"
  }
}
