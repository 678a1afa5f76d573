package import Logging

/// What can be set for a log in files, whatever its storage.
///
/// The first handle of a process on a log decides for all.
package struct LogOptions: Sendable {
  /// How long to wait for another process, or thread, that holds the log.
  package var busyTimeout = Duration.seconds(10)
  /// Where new identities come from.
  package var makeReplicaID: @Sendable () -> ReplicaID = { ReplicaID.random() }
  /// Receives reports of repairs, such as a new identity.
  package var logger = Logger(label: "carillon")

  /// The defaults.
  package init() {}
}
