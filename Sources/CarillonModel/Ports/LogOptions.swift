package import Logging

/// The options of a log in files, for every storage.
///
/// If a process opens several handles on one log, the options of the first apply to all.
package struct LogOptions: Sendable {
  /// How long to wait for another process or thread that has locked the log.
  package var busyTimeout = Duration.seconds(10)
  /// What has been done when a write returns.
  package var durability = Durability.full
  /// Creates new identities.
  package var makeReplicaID: @Sendable () -> ReplicaID = { ReplicaID.random() }
  /// Receives reports of repairs, such as a new identity.
  package var logger = Logger(label: "carillon")

  /// Creates the default options.
  package init() {}
}
