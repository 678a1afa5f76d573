/// A problem found by checking a whole store.
public struct StoreProblem: Hashable, Sendable {
  /// The part of the store that is affected, which determines how to repair it.
  package enum Kind: Hashable, Sendable {
    /// The log is damaged.
    ///
    /// To repair it, sync with another replica, with an audit.
    case damage
    /// An event is known only by ID.
    ///
    /// To repair it, sync with a replica that holds the content.
    case missingContent
    /// The log can be read but not written, since its list of free pages is damaged.
    ///
    /// To repair it, compact the store.
    case freePages
    /// The log's indexes do not match its events.
    ///
    /// To repair them, verify and repair the store.
    case index
    /// The projections do not match the log.
    ///
    /// To repair them, rebuild them.
    case projections
  }

  /// The part of the store that is affected.
  package let kind: Kind
  /// One sentence for people, which names the place.
  public let message: String
}
