/// The content of one kind of event, with the description of the kind.
///
/// To add a kind, add a file with a type that conforms to this protocol, a case of ``Payload`` and
/// of ``Payload/Kind``, and a table if the kind has state. The compiler reports what is missing.
package protocol EventContent: FieldGroup {
  /// The kind, which also determines the number.
  static var kind: Payload.Kind { get }

  /// The kind's name in JSON, such as `entry.recorded`.
  static var name: String { get }

  /// Whether users and scripts can append such an event; otherwise only the device records it.
  static var isAppendable: Bool { get }

  /// The rule by which events of the kind merge.
  static var merge: MergeRule { get }

  /// The content as a payload of its kind.
  var payload: Payload { get }

  /// What an erasure must name to redact the event.
  var erasureSubject: ErasureSubject { get }

  /// Returns a one-line summary for people, without the kind's name; empty if the name is enough.
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

/// The rule by which events of one kind merge, in any order of arrival.
package enum MergeRule: Hashable, Sendable {
  /// For each key, the value of the event with the greatest ID wins.
  case lwwRegister
  /// The same, but each replica writes only its own keys.
  case perReplicaLWWRegister
  /// All values that were ever added.
  case growOnlySet
  /// All values that were added and that no removal names.
  case observedRemove
  /// The greatest value wins.
  case maxRegister
}

/// The subject that an erasure must name to redact an event.
package enum ErasureSubject: Hashable, Sendable {
  /// No erasure redacts the event.
  case none
  case habit(HabitID)
  /// A receipt of a habit's occurrence, or a response to it.
  case receipt(of: HabitID)
  /// Data from a source of fetched items.
  case source(String)
}

/// The texts that a summary of an event needs in addition to the event.
package protocol SummaryWords {
  /// The local date on which the event was written.
  var writtenOn: CivilDate { get }

  /// Returns the title of a habit, or the beginning of its ID if its title is not known.
  func title(of habit: HabitID) -> String

  /// Returns the display name of a replica.
  func name(of replica: ReplicaID) -> String

  /// Returns an instant as local time.
  func text(_ instant: Instant) -> String

  /// Returns a schedule's rule with its times and conditions.
  func text(_ schedule: Schedule) -> String

  /// Returns the nominal time of a schedule's occurrence by a clock in the schedule's zone.
  ///
  /// The nominal time of an interval is in UTC.
  func local(_ nominal: CivilDateTime, of schedule: ScheduleID) -> CivilDateTime

  /// Returns the rule of a schedule as it was last set, or nil if that is not known.
  func text(of schedule: ScheduleID) -> String?
}
