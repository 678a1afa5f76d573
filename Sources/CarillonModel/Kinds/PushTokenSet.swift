/// An event that records whether the writing device registered for remote notifications.
///
/// A per-replica LWW register per environment.
public struct PushTokenSet: Hashable, Sendable {
  /// The result of the registration.
  public enum Registration: Hashable, Sendable {
    /// A token of 1 to 1,024 bytes.
    case token([UInt8])
    /// The system's error message; 1 to 1,000 bytes.
    case failure(String)
  }

  /// The environment of the push service, such as `development`; 1 to 64 bytes.
  public var environment: String
  /// The result of the registration.
  public var registration: Registration

  /// Creates a value from its parts.
  public init(environment: String, registration: Registration) {
    self.environment = environment
    self.registration = registration
  }
}

extension PushTokenSet: EventContent {
  package static let kind = Payload.Kind.pushTokenSet
  package static let name = "push.tokenSet"
  package static let merge = MergeRule.perReplicaLWWRegister
  package static let blank = PushTokenSet(environment: "", registration: .token([]))

  package var payload: Payload { .pushTokenSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "environment", &environment, 1...64)
    try registration.visitFields(&visitor)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    switch registration {
    case .token: environment
    case .failure: "\(environment), failed"
    }
  }
}

extension PushTokenSet.Registration {
  fileprivate mutating func visitFields(
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var (token, error): ([UInt8]?, String?)
    switch self {
    case .token(let bytes): token = bytes
    case .failure(let text): error = text
    }
    try visitor.optionalBytes(2, "token", &token, 1...1_024, as: .hexadecimal)
    try visitor.optional(3, "error", &error, 1...1_000)
    switch (token, error, visitor.last(of: [2, 3])) {
    case (let token?, nil, _), (let token?, _, 2): self = .token(token)
    case (nil, let error?, _), (_, let error?, 3): self = .failure(error)
    default: throw .invalid("token", "either token or error is required")
    }
  }
}
