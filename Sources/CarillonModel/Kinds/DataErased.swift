/// An event that permanently erases payloads.
///
/// A grow-only set of events. An erasure covers events by content, so it also erases events that
/// are written or arrive later, on every replica. Erased events keep their IDs and places, so that
/// histories stay verifiable; projections are built as if these events had no content.
public struct Erasure: Hashable, Sendable {
  /// The events that an erasure covers.
  public enum Scope: Hashable, Sendable {
    /// All events that name the habit.
    case habit(HabitID)
    /// The items observed from a source, with their receipts and responses; if an ID is given, only
    /// events up to that ID.
    case items(source: String, upTo: EventID?)
    /// The receipts of a habit's occurrences and the responses to them; if an ID is given, only
    /// events up to that ID.
    case receipts(of: HabitID, upTo: EventID?)
  }

  /// The covered events.
  public var scope: Scope

  /// Creates a value from its parts.
  package init(_ scope: Scope) {
    self.scope = scope
  }

  /// Whether the erasure covers an event.
  ///
  /// Erasures are never covered, and neither are payloads that this build cannot read.
  ///
  /// - Complexity: O(1).
  package func covers(_ payload: Payload, of event: EventID) -> Bool {
    guard !event.timestamp.isBeyondClocks else { return false }
    return switch (scope, payload.erasureSubject) {
    case (.habit(let habit), .habit(let named)), (.habit(let habit), .receipt(let named)):
      habit == named
    case (.items(let source, let last), .source(let named)):
      // Texts are compared by their bytes, as in the projections.
      named.utf8.elementsEqual(source.utf8) && last.map { event <= $0 } ?? true
    case (.receipts(let habit, let last), .receipt(let named)):
      habit == named && last.map { event <= $0 } ?? true
    default: false
    }
  }
}

extension Erasure: EventContent {
  package static let kind = Payload.Kind.dataErased
  package static let name = "data.erased"
  package static let merge = MergeRule.growOnlySet
  package static let blank = Erasure(.habit(.zero))

  package var payload: Payload { .dataErased(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    var (habit, source, receiptsOf, upTo): (HabitID?, String?, HabitID?, EventID?)
    switch scope {
    case .habit(let named): habit = named
    case .items(let named, let last): (source, upTo) = (named, last)
    case .receipts(let named, let last): (receiptsOf, upTo) = (named, last)
    }
    try visitor.optional(1, "habit", &habit, presence: .implicit)
    try visitor.optional(2, "source", &source, 1...Limit.maxShortBytes, presence: .implicit)
    try visitor.optional(3, "receiptsOf", &receiptsOf, presence: .implicit)
    try visitor.optional(4, "upTo", &upTo, presence: .implicit)
    switch (habit, source, receiptsOf) {
    case (let habit?, nil, nil):
      guard upTo == nil else { throw .invalid("upTo", "a habit can only be erased completely") }
      scope = .habit(habit)
    case (nil, let source?, nil): scope = .items(source: source, upTo: upTo)
    case (nil, nil, let habit?): scope = .receipts(of: habit, upTo: upTo)
    default: throw .invalid("scope", "exactly one of habit, source and receiptsOf is required")
    }
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    switch scope {
    case .habit(let habit): "all of \(words.title(of: habit))"
    case .items(let source, let last):
      last == nil ? "all of \(source)" : "old receipts of \(source)"
    case .receipts(let habit, let last):
      (last == nil ? "all" : "old") + " receipts of \(words.title(of: habit))"
    }
  }
}
