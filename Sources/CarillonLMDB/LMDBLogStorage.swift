package import CarillonModel
package import Foundation

/// The storage of logs on LMDB: an environment in the directory `log/` of a store directory.
package struct LMDBLogStorage: LogStorage {
  /// Creates the storage.
  package init() {}

  package var name: String { "lmdb" }

  // In a page, a row has a pointer of 2 bytes, the sizes and flags in 8, and the key in 8.
  package var leastByteCountBesidePayload: Int { LogFormat.eventHeaderByteCount + 18 }

  package func owns(_ fileName: String) -> Bool {
    fileName == LogFormat.directoryName || ownsUnfinished(fileName)
  }

  package func ownsUnfinished(_ fileName: String) -> Bool {
    fileName == LogFormat.newDirectoryName
  }

  package func make(
    at directory: URL, storeID: StoreID, replica: ReplicaID, options: LogOptions
  ) throws -> any LogCreation {
    try LMDBLogMaking(
      at: directory, storeID: storeID, replica: replica, options: LMDBLogOptions(options))
  }

  package func open(at directory: URL, options: LogOptions) throws -> any StoredLog {
    try LMDBEventLog.open(at: directory, options: LMDBLogOptions(options))
  }

  package func compact(at directory: URL, options: LogOptions) throws {
    try LMDBEventLog.compact(at: directory, options: LMDBLogOptions(options))
  }

  package func setStoreID(
    _ storeID: StoreID, at directory: URL, options: LogOptions
  ) throws -> Bool {
    try LMDBEventLog.setStoreID(storeID, at: directory, options: LMDBLogOptions(options))
  }
}
