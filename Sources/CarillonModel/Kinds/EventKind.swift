/// What one kind of event says, with everything that holds of the kind.
///
/// A new kind is one file with a type of this protocol, a case of ``Payload`` and of
/// ``Payload/Kind``, and, where it has state, a table. The compiler names what is missing.
package protocol EventContent: FieldGroup {
  /// The kind, and with it the number.
  static var kind: Payload.Kind { get }

  /// The kind's name in JSON, such as `entry.recorded`.
  static var name: String { get }

  /// Whether people and scripts may append such an event, rather than the device alone.
  static var isAppendable: Bool { get }

  /// How events of the kind merge.
  static var merge: MergeRule { get }

  /// The content as a payload of its kind.
  var payload: Payload { get }

  /// What an erasure has to name to redact the event.
  var erasureSubject: ErasureSubject { get }

  /// One line for people, without the kind's name; empty where that says it all.
  func summary(_ words: some SummaryWords) -> String
}

extension EventContent {
  package static var isAppendable: Bool { false }

  /// Reads a payload of the kind.
  package static func payload(
    reading visitor: inout some FieldVisitor
  ) throws(ModelError) -> Payload {
    var content = blank
    try content.visitFields(&visitor)
    return content.payload
  }
}

/// How events of one kind merge, in any order of arrival.
package enum MergeRule: Hashable, Sendable {
  /// The value in the event with the greatest ID holds, for each key.
  case lwwRegister
  /// The same, and each replica writes keys of its own.
  case perReplicaLWWRegister
  /// Everything that was ever added.
  case growOnlySet
  /// Everything that was added and is not named by a removal.
  case observedRemove
  /// The greatest value.
  case maxRegister
}

/// What an erasure has to name to redact an event.
package enum ErasureSubject: Hashable, Sendable {
  /// No erasure redacts it.
  case none
  case habit(HabitID)
  /// A receipt of a habit's occurrence, or a response to it.
  case receipt(of: HabitID)
  /// What came from a source of fetched items.
  case source(String)
}

/// The words that a summary of an event needs and the event does not have.
package protocol SummaryWords {
  /// The title of a habit, or the beginning of its id where no title is known.
  func title(of habit: HabitID) -> String

  /// A moment on the reader's clock.
  func text(_ instant: Instant) -> String

  /// A rule with its times and conditions.
  func text(_ schedule: Schedule) -> String
}
