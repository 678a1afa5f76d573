/// The writing device was woken in the background and went back to sleep.
///
/// A per-replica LWW register for each reason.
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
