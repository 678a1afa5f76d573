/// An event that records the submission of a plan to the writing device's system.
///
/// A per-replica LWW register.
public struct PlanSubmitted: Hashable, Sendable {
  /// The number of requests added; 0...10,000.
  package var added: Int
  /// The number of requests removed; 0...1,000,000.
  package var removed: Int
  /// The number of requests that the system refused; 0...10,000.
  package var failed: Int
  /// SHA-256 of the IDs of all planned requests, ascending and joined by LF; 32 bytes.
  package var idsDigest: [UInt8]
  /// The end of coverage: until then, the plan is complete; nil if nothing is covered.
  package var coverageUntil: Instant?
  /// The number of planned requests that did not fit, counted by civil date.
  ///
  /// At most 1,000, which means 1,000 or more.
  package var dropped: Int
  /// The number of requests that the system can hold; 0...10,000.
  package var capacity: Int
  /// The moment of submission; nil if it is the event's own millisecond, which is not written.
  package var at: Instant?

  /// Creates a value from its parts.
  package init(
    added: Int, removed: Int, failed: Int = 0, idsDigest: [UInt8], coverageUntil: Instant?,
    dropped: Int, capacity: Int, at: Instant? = nil
  ) {
    self.added = added
    self.removed = removed
    self.failed = failed
    self.idsDigest = idsDigest
    self.coverageUntil = coverageUntil
    self.dropped = dropped
    self.capacity = capacity
    self.at = at
  }
}

extension PlanSubmitted: DatedContent {
  package static let kind = Payload.Kind.planSubmitted
  package static let name = "plan.submitted"
  package static let merge = MergeRule.perReplicaLWWRegister
  package static let blank = PlanSubmitted(
    added: 0, removed: 0, idsDigest: [], coverageUntil: nil, dropped: 0, capacity: 0)

  package var payload: Payload { .planSubmitted(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.defaulted(1, "added", &added, 0, 0...10_000)
    try visitor.defaulted(2, "removed", &removed, 0, 0...1_000_000)
    try visitor.defaulted(3, "failed", &failed, 0, 0...10_000)
    try visitor.bytes(4, "idsDigest", &idsDigest, 32...32, as: .hexadecimal)
    try visitor.optional(5, "coverageUntil", &coverageUntil)
    try visitor.defaulted(6, "dropped", &dropped, 0, 0...1_000)
    try visitor.defaulted(
      7, "capacity", &capacity, 0, 0...Int64(PlanSettings.capacities.upperBound))
    try visitor.optional(8, "at", &at)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    "\(added) added, \(removed) removed" + (failed == 0 ? "" : ", \(failed) failed")
  }
}
