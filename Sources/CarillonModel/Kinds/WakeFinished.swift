/// An event that records the end of a background wake of the writing device.
///
/// A per-replica LWW register per reason.
public struct WakeFinished: Hashable, Sendable {
  /// The reason for the wake.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case fetch, push, refresh, launch
  }

  /// The result of the wake.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    case newData, noData, failed
  }

  /// The reason for the wake.
  package var reason: Reason
  /// The result of the wake.
  package var result: Result
  /// The number of new things; 0...1,000,000.
  package var newCount: Int

  /// Creates a value from its parts.
  public init(reason: Reason, result: Result, newCount: Int = 0) {
    self.reason = reason
    self.result = result
    self.newCount = newCount
  }
}

extension WakeFinished: EventContent {
  package static let kind = Payload.Kind.wakeFinished
  package static let name = "wake.finished"
  package static let merge = MergeRule.perReplicaLWWRegister
  package static let blank = WakeFinished(reason: .fetch, result: .noData)

  package var payload: Payload { .wakeFinished(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "reason", &reason)
    try visitor.required(2, "result", &result)
    try visitor.defaulted(3, "newCount", &newCount, 0, 0...1_000_000)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    "\(reason.rawValue) \(result.rawValue)"
  }
}
