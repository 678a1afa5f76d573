package import CarillonModel
package import CarillonSQLite
package import CarillonSync

/// What a side of a sync knows of the contents of its events, which neither its session nor its
/// log reads.
package struct SyncContents: Sendable {
  /// Returns the events whose content is missing, and the redacted ones that no held erasure
  /// confirms; asked at each hello.
  package let unconfirmed: @Sendable () async throws -> [WantedEvent]
  /// Decides which redacted events take their payloads back; nil: none does.
  package let erasures: (any HeldErasures)?
  /// Digests the merged state; nil where nobody knows it.
  package let stateDigest: @Sendable () async throws -> StateDigest?

  /// Projects anew, where events were repaired that were projected as they were.
  package let project: @Sendable () async throws -> Void
  /// Returns what replicas are called; those that are not known are left out.
  package let names: @Sendable () throws -> [ReplicaID: String]

  package init(
    unconfirmed: @escaping @Sendable () async throws -> [WantedEvent],
    erasures: (any HeldErasures)?,
    stateDigest: @escaping @Sendable () async throws -> StateDigest? = { nil },
    project: @escaping @Sendable () async throws -> Void = {},
    names: @escaping @Sendable () throws -> [ReplicaID: String] = { [:] }
  ) {
    self.unconfirmed = unconfirmed
    self.erasures = erasures
    self.stateDigest = stateDigest
    self.project = project
    self.names = names
  }

  /// What the projections of the log know.
  package init(
    _ projections: SQLiteProjections,
    names: @escaping @Sendable () throws -> [ReplicaID: String] = { [:] }
  ) {
    self.init(
      unconfirmed: {
        try await projections.unconfirmedEvents().map { WantedEvent($0, .incomplete) }
      },
      erasures: projections,
      stateDigest: { try await projections.confirmedDigest() },
      project: { _ = try await projections.rebuild() }, names: names)
  }

  /// Nobody reads the events: nothing that was redacted is asked for, or put back.
  package static let unknown = SyncContents(unconfirmed: { [] }, erasures: nil)
}
