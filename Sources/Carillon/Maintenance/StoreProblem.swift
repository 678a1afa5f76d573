/// Something that a check of a whole store found.
public struct StoreProblem: Hashable, Sendable, CustomStringConvertible {
  /// What it concerns, and so what repairs it.
  public enum Kind: Hashable, Sendable {
    /// The log is damaged: sync with another replica, with an audit.
    case damage
    /// Of an event only the ID is held: sync with a replica that holds the content.
    case missingContent
    /// The log can be read but not written, since its list of free pages is damaged: compact it.
    case freePages
    /// The projections are not what the log says: rebuild them.
    case projections
  }

  /// What it concerns.
  public let kind: Kind
  /// One sentence for people, which names the place.
  public let message: String

  /// The message.
  public var description: String { message }
}
