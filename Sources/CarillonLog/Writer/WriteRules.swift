package import CarillonModel

/// Seals the payloads of new events, so that only the devices of the store can read them.
package protocol PayloadSealer: Sendable {
  /// Returns payloads in the form to store, which is bound to their places.
  ///
  /// The writer calls it on its thread, inside the transaction that writes the events, and again if
  /// the transaction is repeated. The closure may read the log, and sees what was committed before.
  ///
  /// - Parameters:
  ///   - payloads: The payloads of consecutive events with their timestamps.
  ///   - replica: The replica that writes them.
  ///   - sequence: The sequence of the first event.
  func seal(
    _ payloads: [(bytes: [UInt8], timestamp: Timestamp)], of replica: ReplicaID,
    from sequence: SequenceNumber
  ) throws -> [[UInt8]]
}

/// Reads a payload; returns nil for one that cannot be read.
package typealias PayloadReader = @Sendable (UnsafeRawBufferPointer) -> Payload?

/// What a handle adds to the events that it writes, and what it leaves out.
package struct WriteRules: Sendable {
  /// Provides the first events of a new identity.
  package var announcement: IdentityAnnouncement = { _ in [] }
  /// Seals the payloads of new events; nil leaves them as they are.
  package var sealer: (any PayloadSealer)?
  /// Whether received erasure lists erase payloads, as in a log that nobody here can read.
  package var obeysErasureLists = false
  /// Reads payloads, to erase what received erasures cover, as in a log without projections; nil
  /// leaves that to others.
  package var readPayload: PayloadReader?

  /// Creates rules that add nothing.
  package init() {}
}
