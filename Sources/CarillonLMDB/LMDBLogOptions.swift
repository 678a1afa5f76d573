public import CarillonModel
public import Logging

/// What can be set for a log on LMDB.
///
/// The first handle of a process on a log decides for all.
public struct LMDBLogOptions: Sendable {
  /// How much address space to map at first, in bytes.
  ///
  /// It costs no memory and no disk: the file grows as it is used. Where the file is larger, twice
  /// its size is mapped.
  public var initialMapByteCount = 1 << 25
  /// How far the map may grow, in bytes: the limit of the file's size.
  public var maxMapByteCount = 1 << 46
  /// How long to wait for another process, or thread, that holds the log.
  public var busyTimeout = Duration.seconds(10)
  /// Where new identities come from.
  public var makeReplicaID: @Sendable () -> ReplicaID = { ReplicaID.random() }
  /// Is told of repairs: dead readers, a grown map, a new identity.
  public var logger = Logger(label: "carillon")

  /// The defaults.
  public init() {}

  /// What is set for any log; of the rest the defaults.
  package init(_ options: LogOptions) {
    busyTimeout = options.busyTimeout
    makeReplicaID = options.makeReplicaID
    logger = options.logger
  }
}
