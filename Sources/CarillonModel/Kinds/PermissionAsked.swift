/// An event that records that the user was asked for permission.
///
/// A grow-only set per replica: once `prompted`, always `prompted`.
public struct PermissionAsked: Hashable, Sendable {
  /// The screen that was presented.
  package enum Step: String, Hashable, Sendable, CaseIterable {
    /// The app's own screen, which may be presented again.
    case primed
    /// The system's prompt, which is presented only once.
    case prompted
  }

  /// The user's answer.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    case unknown, yes, no
  }

  /// The screen that was presented.
  package var step: Step
  /// The user's answer.
  package var outcome: Outcome

  /// Creates a value from its parts.
  package init(step: Step, outcome: Outcome = .unknown) {
    self.step = step
    self.outcome = outcome
  }
}

extension PermissionAsked: EventContent {
  package static let kind = Payload.Kind.permissionAsked
  package static let name = "permission.asked"
  package static let merge = MergeRule.growOnlySet
  package static let blank = PermissionAsked(step: .primed)

  package var payload: Payload { .permissionAsked(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "step", &step)
    try visitor.defaulted(2, "outcome", &outcome, .unknown)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    step.rawValue
  }
}
