internal import CarillonLog
package import CarillonModel
package import Foundation

extension LMDBEventLog {
  /// Gives the log in a store directory the ID of another store, in one transaction.
  ///
  /// Idempotent.
  ///
  /// Events keep their IDs, which do not depend on the store's ID. The projection's generation is
  /// increased, because the tables name the store, so the next open builds them again.
  ///
  /// - Returns: False if the log already had this ID.
  /// - Throws: `LogError`: `notFound`, `unsupportedFormat`, `corrupt`, `readOnly`, `full`, `io`,
  ///   and `busy` if this process or another one does not close the log in time.
  package static func setStoreID(
    _ storeID: StoreID, at directory: URL, options: LMDBLogOptions = LMDBLogOptions()
  ) throws -> Bool {
    let path = path(LogFormat.directoryName, in: directory)
    return try wrapping {
      let file = path + "/" + LogFormat.dataFileName
      try LogEnvironment.requireFile(file, of: path)
      let environment = try LogEnvironment.open(
        directory: path, hold: try LogHold.take(file, .exclusive, within: options.busyTimeout),
        options: options)
      defer { environment.close() }
      do {
        return try put(storeID, in: environment)
      } catch  where error.isMapFull {
        try environment.grow()
        return try put(storeID, in: environment)
      }
    }
  }

  private static func put(_ storeID: StoreID, in environment: LogEnvironment) throws -> Bool {
    let transaction = try WriteTransaction(environment: environment) { try LogState(LogTrees($0)) }
    defer { transaction.abort() }
    guard transaction.state.storeID != storeID else { return false }
    try transaction.putMeta(.store, storeID.bytes)
    try transaction.setGeneration(transaction.state.generation + 1)
    try transaction.commit()
    return true
  }
}
