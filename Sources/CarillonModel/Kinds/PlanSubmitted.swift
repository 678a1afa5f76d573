/// A difference of the plan was given to the writing device's system.
///
/// A per-replica LWW register: the greatest event ID of a replica holds.
public struct PlanSubmitted: Hashable, Sendable {
  /// How many requests were added; 0...10,000.
  public var added: Int
  /// How many were removed; 0...1,000,000.
  public var removed: Int
  /// How many the system refused; 0...10,000.
  public var failed: Int
  /// SHA-256 of the request ids that were wanted then, ascending, joined by LF; 32 bytes.
  public var idsDigest: [UInt8]
  /// Until when nothing is missing; nil where nothing is covered.
  public var coverageUntil: Instant?
  /// How many were not taken, by civil dates; 0...1,000, which means 1,000 or more.
  public var dropped: Int
  /// How many requests the system keeps; 0...10,000.
  public var capacity: Int
  /// When; nil where that is the event's own millisecond, and then not written.
  public var at: Instant?

  /// Makes a value of its parts.
  public init(
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
    try visitor.defaulted(7, "capacity", &capacity, 0, 0...10_000)
    try visitor.optional(8, "at", &at)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    "\(added) added, \(removed) removed" + (failed == 0 ? "" : ", \(failed) failed")
  }
}
