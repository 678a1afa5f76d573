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

/// What a handle adds to the events that it writes.
package struct WriteRules: Sendable {
  /// Provides the first events of a new identity.
  package var announcement: IdentityAnnouncement = { _ in [] }
  /// Seals the payloads of new events; nil leaves them as they are.
  package var sealer: (any PayloadSealer)?
  /// Whether received erasure lists erase payloads, as in a log that nobody here can read.
  package var obeysErasureLists = false

  /// Creates rules that add nothing.
  package init() {}
}
