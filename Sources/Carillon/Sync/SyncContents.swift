package import CarillonModel
package import CarillonSQLite
package import CarillonSync

/// What one side of a sync knows of the contents of its events.
///
/// Neither the session nor the log reads contents.
package struct SyncContents: Sendable {
  /// Returns the events whose content is missing, and the redacted events whose erasing event is
  /// not held.
  ///
  /// Called at each hello.
  package let unconfirmed: @Sendable () async throws -> [WantedEvent]
  /// Decides which redacted events get their payloads back; nil if none do.
  package let erasures: (any HeldErasures)?
  /// Returns the digest of the merged state; nil if it is not known.
  package let stateDigest: @Sendable () async throws -> StateDigest?

  /// Rebuilds the projections after events were repaired that had been applied as damaged.
  package let project: @Sendable () async throws -> Void
  /// Returns the display names of replicas.
  ///
  /// Unknown replicas are absent.
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

  /// Creates a value from the projections of the log.
  ///
  /// - Parameter erasures: The erasures for payloads as the log keeps them; nil if the projections
  ///   read these.
  package init(
    _ projections: SQLiteProjections, erasures: (any HeldErasures)? = nil,
    names: @escaping @Sendable () throws -> [ReplicaID: String] = { [:] }
  ) {
    self.init(
      unconfirmed: {
        try await projections.unconfirmedEvents().map { WantedEvent($0, .incomplete) }
      },
      erasures: erasures ?? projections,
      stateDigest: { try await projections.confirmedDigest() },
      project: { _ = try await projections.rebuild() }, names: names)
  }

  /// No knowledge of contents: no redacted event is requested or restored.
  package static let unknown = SyncContents(unconfirmed: { [] }, erasures: nil)
}
