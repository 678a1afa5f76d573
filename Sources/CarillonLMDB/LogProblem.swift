public import CarillonModel

/// Something that is wrong with a log, found by reading all of it.
public struct LogProblem: Hashable, Sendable, CustomStringConvertible {
  /// The event that is concerned; nil where it is none in particular.
  public let position: Position?
  /// One sentence for people.
  public let message: String
  /// Whether the event is intact as far as it is held, by its ID alone: its content was damaged
  /// where it came from.
  public let isMissingContent: Bool

  /// Names what is wrong, and where.
  public init(position: Position?, message: String, isMissingContent: Bool = false) {
    self.position = position
    self.message = message
    self.isMissingContent = isMissingContent
  }

  /// Whether only what is free and what is in use contradict each other, which compacting cures.
  package var isOfFreePages: Bool { message.hasPrefix(WrongPages.prefix) }

  /// The position, where there is one, and the message.
  public var description: String {
    position.map { "position \($0.rawValue): \(message)" } ?? message
  }
}
