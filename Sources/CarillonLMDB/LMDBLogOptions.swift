package import CarillonModel
package import Logging

/// The options of a log on LMDB.
///
/// The options of a process's first handle on a log apply to all of its handles.
package struct LMDBLogOptions: Sendable {
  /// The initial size of the map: the number of bytes of address space to reserve.
  ///
  /// The map itself uses no memory and no disk space, because the file grows as it is used. If the
  /// file is larger than this, twice its size is mapped.
  package var initialMapByteCount = 1 << 25
  /// The largest size of the map in bytes, which is also the limit of the file's size.
  package var maxMapByteCount = 1 << 46
  /// The time limit for waiting for another process or thread that holds the log.
  package var busyTimeout = Duration.seconds(10)
  /// What has been done when a write returns.
  package var durability = Durability.full
  /// Creates the ID of each new identity.
  package var makeReplicaID: @Sendable () -> ReplicaID = { ReplicaID.random() }
  /// Receives notices of repairs: removed readers, an enlarged map, a new identity.
  package var logger = Logger(label: "carillon")

  /// Creates the default options.
  package init() {}

  /// Creates options from those of any log, with defaults for the others.
  package init(_ options: LogOptions) {
    busyTimeout = options.busyTimeout
    durability = options.durability
    makeReplicaID = options.makeReplicaID
    logger = options.logger
  }
}
