public import CarillonModel
public import Foundation
internal import Synchronization

// The port documents what the methods do.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation

/// The event log on LMDB: a handle on the directory `log/` of a store directory.
///
/// Handles on one log share its environment and its writer. Several processes may open one log.
/// A handle that is let go without ``close()`` is closed in the background.
public final class LMDBEventLog: StoredLog {
  let log: SharedLog
  /// The handle's own, so that it ends with the handle and not with the shared log.
  let announcement = Mutex<IdentityAnnouncement>({ _ in [] })
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

  /// Makes an empty log in a store directory, which is made where it is missing.
  ///
  /// - Throws: `LogError`: `alreadyExists`, `readOnly`, `full`, `io`.
  public static func create(
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
  /// Where the directory is a copy of another, the log takes a new `ReplicaID`, with the old one as
  /// predecessor. Where it cannot be written, it can be read.
  ///
  /// - Throws: `LogError`: `notFound`, `unsupportedFormat`, `corrupt`, `readOnly`, `full`, `busy`,
  ///   `io`.
  public static func open(
    at directory: URL, options: LMDBLogOptions = LMDBLogOptions()
  ) throws -> LMDBEventLog {
    try wrapping {
      LMDBEventLog(
        try LogRegistry.shared.open(
          directory: path(LogFormat.directoryName, in: directory), options: options))
    }
  }

  public var storeID: StoreID { log.storeID }

  /// How many commits this handle's writer made since it was opened.
  package var commitCount: Int { log.writer.commitCount }

  /// How many events this handle's writer looked up since it was opened.
  package var lookUpCount: Int { log.writer.lookUpCount }

  /// Whether the log can only be read.
  public var isReadOnly: Bool { log.environment.isReadOnly }

  /// How many bytes the log's file has.
  ///
  /// Pages that are free again count.
  package var fileByteCount: Int {
    get throws {
      try Self.wrapping {
        try checkOpen()
        return try log.environment.fileByteCount
      }
    }
  }

  /// How many bytes of the file are in use: all pages but the free ones.
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

  public func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {
    self.announcement.withLock { $0 = announcement }
  }

  public func appends() -> AsyncStream<Position> {
    guard !isClosed.load(ordering: .acquiring) else { return AsyncStream { $0.finish() } }
    return log.appends.stream(for: self)
  }

  public func close() async {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    log.appends.finish(for: self)
    await withCheckedContinuation { continuation in
      LogRegistry.shared.release(log) { continuation.resume() }
    }
  }

  package func closeNow() {
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
      throw LogError.wrapping(error)
    }
  }

  /// A log's directory in a store directory.
  static func path(_ name: String, in directory: URL) -> String {
    directory.appendingPathComponent(name, isDirectory: true).path
  }

  /// Makes new names in a directory durable.
  static func syncDirectory(_ path: String) throws(StorageFailure) {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StorageFailure(code: errno, action: "Cannot open \(path)")
    }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw StorageFailure(code: errno, action: "Cannot sync \(path)")
    }
  }
}
