/// A notification came to a state on the writing device.
///
/// A grow-only set of events; projections keep the newest 1,000 of a source and replica. The states
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

extension ReceiptAdvanced: DatedContent {
  package static let kind = Payload.Kind.receiptAdvanced
  package static let name = "receipt.advanced"
  package static let merge = MergeRule.growOnlySet
  package static let blank = ReceiptAdvanced(subject: .push(id: ""), state: .submitted)

  package var payload: Payload { .receiptAdvanced(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.visit("subject", choice: &subject, form: .member)
    try visitor.defaulted(4, "revision", &revision, ReceiptSubject.firstRevision, 1...256)
    try visitor.required(5, "state", &state)
    try visitor.optional(6, "at", &at)
    try visitor.optional(7, "fireAt", &fireAt)
  }

  package var erasureSubject: ErasureSubject { subject.erasureSubject }

  package func summary(_ words: some SummaryWords) -> String {
    "\(subject.name(words)) \(state.rawValue)"
  }
}
