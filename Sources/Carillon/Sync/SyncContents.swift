package import CarillonModel
package import CarillonSQLite
package import CarillonSync

/// What a side of a sync knows of the contents of its events, which neither its session nor its
/// log reads.
package struct SyncContents: Sendable {
  /// Returns the redacted events that no held erasure confirms; asked at each hello.
  package let unconfirmed: @Sendable () async throws -> [WantedEvent]
  /// Decides which redacted events take their payloads back; nil: none does.
  package let erasures: (any HeldErasures)?

  package init(
    unconfirmed: @escaping @Sendable () async throws -> [WantedEvent],
    erasures: (any HeldErasures)?
  ) {
    self.unconfirmed = unconfirmed
    self.erasures = erasures
  }

  /// What the projections of the log know.
  package init(_ projections: SQLiteProjections) {
    self.init(
      unconfirmed: { try await projections.settlingEvents().map(WantedEvent.init(unconfirmed:)) },
      erasures: projections)
  }

  /// Nobody reads the events: nothing that was redacted is asked for, or put back.
  package static let unknown = SyncContents(unconfirmed: { [] }, erasures: nil)
}
