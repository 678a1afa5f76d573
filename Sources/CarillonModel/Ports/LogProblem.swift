/// A problem in a log, found by reading all of it.
package struct LogProblem: Hashable, Sendable, CustomStringConvertible {
  /// The kind of problem.
  package enum Kind: Hashable, Sendable {
    /// An event, or data that does not follow from the events, is not what was written.
    case damage
    /// Data stored next to the events, which follows from the events alone, is not what was
    /// written.
    case index
    /// The log can be read but not written, because its lists of free pages and used pages
    /// contradict each other; compacting repairs it.
    case freePages
    /// Only the event's ID is held: its content was damaged in the replica that sent it.
    case missingContent
  }

  /// The kind of problem.
  package let kind: Kind
  /// The position of the event concerned; nil if the problem concerns no single event.
  package let position: LogPosition?
  /// The replica that wrote the event or the branch concerned, if one is.
  package var replica: ReplicaID?
  /// The sequence of the event concerned, as far as it is known.
  package var sequence: SequenceNumber?
  /// The log's table concerned, such as `runs`; nil for the events themselves.
  package var table: String?
  /// One sentence for people.
  package let message: String

  /// Creates a problem.
  package init(_ kind: Kind, at position: LogPosition?, _ message: String) {
    self.kind = kind
    self.position = position
    self.message = message
  }

  /// The position, if there is one, and the message.
  package var description: String {
    position.map { "position \($0.rawValue): \(message)" } ?? message
  }
}
