public import CarillonModel

/// Something that is wrong with a log, found by reading all of it.
public struct LogProblem: Hashable, Sendable, CustomStringConvertible {
  /// The event that is concerned; nil where it is none in particular.
  public let position: Position?
  /// One sentence for people.
  public let message: String

  /// Names what is wrong, and where.
  public init(position: Position?, message: String) {
    self.position = position
    self.message = message
  }

  /// The position, where there is one, and the message.
  public var description: String {
    position.map { "position \($0.rawValue): \(message)" } ?? message
  }
}
