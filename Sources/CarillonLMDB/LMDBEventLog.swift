internal import CarillonLog
package import CarillonModel
package import Foundation
internal import Synchronization

// The protocol documents these methods.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation

/// The event log on LMDB: a handle on the directory `log/` of a store directory.
///
/// Handles on one log share its environment and its writer. Several processes may open one log. A
/// handle that is released without a call to ``close()`` is closed in the background.
package final class LMDBEventLog: StoredLog {
  let log: SharedLog
  /// Belongs to this handle and not to the shared log, so that it ends with the handle.
  let announcement = CurrentAnnouncement()
  private let isClosed = Atomic(false)

  init(_ log: SharedLog) {
    self.log = log
  }

  deinit {
    if !isClosed.load(ordering: .acquiring) {
      log.appends.finish(for: self)
      LogRegistry.shared.release(log)
    }
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

  package var storeID: StoreID { log.storeID }

  /// The number of commits that this handle's writer made since the log was opened.
  package var commitCount: Int { log.writer.commitCount }

  /// The number of events that this handle's writer looked up since the log was opened.
  package var lookUpCount: Int { log.backend.lookUpCount }

  /// Whether the log can be read but not written.
  package var isReadOnly: Bool { log.environment.isReadOnly }

  /// The size of the log's file in bytes, including free pages.
  package var fileByteCount: Int {
    get throws {
      try Self.wrapping {
        try checkOpen()
        return try log.environment.fileByteCount
      }
    }
  }

  /// The number of bytes of the file that are in use: all pages except the free ones.
  ///
  /// - Complexity: O(free pages).
  package var usedByteCount: Int {
    get throws {
      try checkOpen()
      return try log.readPages { pages, _ in
        var free = 0
        try pages.freeList.check { _ in free += 1 }
        return (Int(pages.map.pageCount) - free) * pages.map.pageSize
      }
    }
  }

  package func checkFiles() throws {
    guard !isClosed.load(ordering: .acquiring) else { return }
    try Self.wrapping { try log.checkFiles() }
  }

  var currentAnnouncement: IdentityAnnouncement { announcement.closure }

  package func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {
    self.announcement.closure = announcement
  }

  package func appends() -> AsyncStream<LogPosition> {
    let stream = log.appends.stream(for: self)
    if isClosed.load(ordering: .acquiring) { log.appends.finish(for: self) }
    return stream
  }

  package func close() async {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    log.appends.finish(for: self)
    await withCheckedContinuation { continuation in
      LogRegistry.shared.release(log) { continuation.resume() }
    }
  }

  package func closeBlocking() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    log.appends.finish(for: self)
    LogRegistry.shared.releaseNow(log)
  }

  // MARK: -

  /// - Throws: `closed`.
  func checkOpen() throws(LogError) {
    guard !isClosed.load(ordering: .acquiring) else { throw .handleClosed }
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
    directory.appendingPathComponent(name, isDirectory: true).path
  }
}
