package import CarillonModel

/// Damage found by a full check of a store.
package struct StoreDamage: Hashable, Sendable {
  /// The part of the store that is damaged, which determines what is lost and what can be done.
  package enum Part: String, Sendable {
    /// The content, the ID or the place of an event. Another replica or a backup may hold it.
    case event
    /// The content of an event of which only the ID was received.
    case content
    /// The log's runs, heads or closings, which follow from the events.
    case index
    /// The list of the log's free pages.
    case freePages
    /// The projections, which follow from the events.
    case projection
    /// The kept plan, which follows from the projections.
    case plan
    /// The projections could not be compared, because the log is damaged.
    case notChecked
  }

  /// What restores a damaged part.
  package enum Remedy: String, Sendable {
    /// A repair without another replica, which loses nothing.
    case repair
    /// Rewriting the log's file.
    case compact
    /// A sync with a replica that has the content.
    case sync
    /// A sync with another replica, with an audit; without another replica, a backup.
    case audit
    /// First the repair of what comes before it in the list.
    case earlier
  }

  /// The part that is damaged.
  package let part: Part
  /// One sentence for people.
  package let message: String
  /// The position of the event concerned.
  package var position: LogPosition?
  /// The name of the replica that wrote it.
  package var replica: String?
  /// The event's sequence.
  package var sequence: SequenceNumber?
  /// The table concerned, of the log or of the projections.
  package var table: String?
  /// The key of the row concerned.
  package var key: String?

  /// What restores the part.
  package var remedy: Remedy {
    switch part {
    case .event: .audit
    // The projections have content that the log has lost, so a rebuild would lose it too.
    case .content: table == nil ? .sync : .audit
    case .index, .projection, .plan: .repair
    case .freePages: .compact
    case .notChecked: .earlier
    }
  }

  /// Whether the store has lost content by this damage.
  package var isLoss: Bool { part == .event || part == .content }
}

/// The result of a full check of a store.
package struct StoreVerification: Sendable {
  /// The number of events in the log.
  package let eventCount: UInt64
  /// The damage, at most 10 rows of each table.
  package let damages: [StoreDamage]
  /// The number of differing rows by table.
  package let rowCounts: [String: Int]

  func has(_ part: StoreDamage.Part) -> Bool { damages.contains { $0.part == part } }
}

/// The result of a repair.
package struct StoreRepair: Sendable {
  /// What was found before.
  package let found: StoreVerification
  /// What is left.
  package let left: StoreVerification
}
