/// Something that is wrong with a log, found by reading all of it.
package struct LogProblem: Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package enum Kind: Hashable, Sendable {
    /// An event, or what is kept beside the events, is not what was written.
    case damage
    /// The log can be read but not written, since what is free and what is in use contradict each
    /// other; compacting repairs it.
    case freePages
    /// The event is held by its ID alone: its content was damaged where it came from.
    case missingContent
  }

  /// What is wrong.
  package let kind: Kind
  /// The event that is concerned; nil where it is none in particular.
  package let position: Position?
  /// One sentence for people.
  package let message: String

  /// Names what is wrong, and where.
  package init(_ kind: Kind, at position: Position?, _ message: String) {
    self.kind = kind
    self.position = position
    self.message = message
  }

  /// The position, where there is one, and the message.
  package var description: String {
    position.map { "position \($0.rawValue): \(message)" } ?? message
  }
}
