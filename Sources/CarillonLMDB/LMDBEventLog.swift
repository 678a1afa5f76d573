package import CarillonLog
package import CarillonModel
package import Foundation

/// The event log on LMDB: a handle on the directory `log/` of a store directory.
///
/// Handles on one log share its environment and its writer. Several processes may open one log. A
/// handle that is released without a call to ``close()`` is closed in the background.
package final class LMDBEventLog: StoredLog, LogAdapter {
  let log: SharedLog
  package let handle: LogHandle

  init(_ log: SharedLog) {
    self.log = log
    handle = LogHandle(log.storeID, log.writer, appends: log.appends)
  }

  deinit {
    if handle.end() { LogRegistry.shared.releaseLater(log) }
  }

  /// Creates an empty log in a store directory, and the directory if it is missing.
  ///
  /// - Throws: `LogError`: `alreadyExists`, `readOnly`, `full`, `io`.
  package static func create(
    at directory: URL, storeID: StoreID, replica: ReplicaID,
    options: LMDBLogOptions = LMDBLogOptions()
  ) throws -> LMDBEventLog {
    let making = try LMDBLogMaking(
      at: directory, storeID: storeID, replica: replica, options: options)
    do {
      try making.publish()
      return making.lmdb
    } catch {
      making.discard()
      throw error
    }
  }

  /// Opens the log of a store directory.
  ///
  /// If the directory is a copy of another one, the log takes a new `ReplicaID` with the old one as
  /// its predecessor. If the log cannot be written, it is opened for reading.
  ///
  /// - Throws: `LogError`: `notFound`, `unsupportedFormat`, `corrupt`, `readOnly`, `full`, `busy`,
  ///   `io`.
  package static func open(
    at directory: URL, options: LMDBLogOptions = LMDBLogOptions()
  ) throws -> LMDBEventLog {
    try wrapping {
      LMDBEventLog(
        try LogRegistry.shared.open(
          directory: path(LogFormat.directoryName, in: directory), options: options))
    }
  }

  /// The number of events that this handle's writer looked up since the log was opened.
  package var lookUpCount: Int { log.backend.lookUpCount }

  /// Whether the log can be read but not written.
  package var isReadOnly: Bool { log.environment.isReadOnly }

  /// The size of the log's file in bytes, including free pages.
  package var fileByteCount: Int {
    get throws {
      try Self.wrapping {
        try handle.checkOpen()
        return try log.environment.fileByteCount
      }
    }
  }

  /// The number of bytes of the file that are in use: all pages except the free ones.
  ///
  /// - Complexity: O(free pages).
  package var usedByteCount: Int {
    get throws {
      try handle.checkOpen()
      return try log.readPages { pages, _ in
        var free = 0
        try pages.freeList.check { _ in free += 1 }
        return (Int(pages.map.pageCount) - free) * pages.map.pageSize
      }
    }
  }

  package func checkFiles() throws {
    guard !handle.isClosed else { return }
    try Self.wrapping { try log.checkFiles() }
  }

  package func close() async {
    guard handle.end() else { return }
    await LogRegistry.shared.release(log)
  }

  package func closeBlocking() {
    guard handle.end() else { return }
    LogRegistry.shared.releaseNow(log)
  }

  package func read<Result>(_ body: (any ScannableView) throws -> Result) throws -> Result {
    try handle.checkOpen()
    return try log.read(body)
  }

  static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw LogError.translating(error)
    }
  }

  /// The path of a log's directory in a store directory.
  static func path(_ name: String, in directory: URL) -> String {
    directory.appendingPathComponent(name, isDirectory: true).filePath
  }
}
