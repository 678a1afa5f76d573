/// The person was asked for permission.
///
/// `prompted` is a grow-only set per replica: once is for ever.
public struct PermissionAsked: Hashable, Sendable {
  /// What was shown.
  public enum Step: String, Hashable, Sendable, CaseIterable {
    /// The app's own screen, which may be shown again.
    case primed
    /// The system's prompt, which may not.
    case prompted
  }

  /// What the person said.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    case unknown, yes, no
  }

  /// How far the asking went.
  public var step: Step
  /// What the person answered.
  public var outcome: Outcome

  /// Makes a value of its parts.
  public init(step: Step, outcome: Outcome = .unknown) {
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
