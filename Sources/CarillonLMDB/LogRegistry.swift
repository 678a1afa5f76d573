internal import CarillonModel
internal import Foundation
internal import Synchronization

/// The logs that this process has open.
///
/// LMDB's locks are the process', so that closing a second handle would take them from the first
/// and let writers use pages that are still being read. So there is one environment per data file,
/// known by its device and inode, whatever path leads to it.
final class LogRegistry: Sendable {
  static let shared = LogRegistry()

  /// Guards the entries; held while a log is opened, so that two threads do not open it twice.
  private let entries = Mutex<[FileKey: Entry]>([:])

  private struct Entry {
    let log: SharedLog
    var handleCount = 1
    /// Whether its last handle has gone and it waits for its readers.
    var isClosing = false
  }

  /// The log in a directory, opened where it is not yet.
  func open(directory: String, options: LMDBLogOptions) throws -> SharedLog {
    while true {
      let (log, isClosing) = try entries.withLock { entries in
        if let key = Self.key(of: directory), let entry = entries[key] {
          if !entry.isClosing { entries[key]?.handleCount += 1 }
          return (entry.log, entry.isClosing)
        }
        let log = try SharedLog.open(directory: directory, options: options)
        entries[log.key] = Entry(log: log)
        return (log, false)
      }
      guard isClosing else { return log }
      log.writer.waitUntilIdle()
    }
  }

  /// A new log in a directory.
  ///
  /// - Throws: `alreadyExists`.
  func create(
    directory: String, storeID: StoreID, replica: ReplicaID, options: LMDBLogOptions
  ) throws -> SharedLog {
    try entries.withLock { entries in
      try Self.refuseExisting(in: directory, options)
      let log = try SharedLog.create(
        directory: directory, storeID: storeID, replica: replica, options: options)
      entries[log.key] = Entry(log: log)
      return log
    }
  }

  /// Runs a body while nobody opens a log in this process.
  func whileUnused<Result>(_ body: () throws -> Result) rethrows -> Result {
    try entries.withLock { _ in try body() }
  }

  /// Gives a handle back; the last one closes the log once the writer is done.
  ///
  /// - Parameter done: Is called when the handle's calls are done, and the log is closed where it
  ///   was the last.
  func release(_ log: SharedLog, done: @escaping @Sendable () -> Void = {}) {
    entries.withLock { $0[log.key]?.handleCount -= 1 }
    log.writer.afterWaiting {
      self.closeUnused(log)
      done()
    }
  }

  /// Gives a handle back and waits until its calls are done, on the caller's thread where there are
  /// none.
  func releaseNow(_ log: SharedLog) {
    entries.withLock { $0[log.key]?.handleCount -= 1 }
    log.writer.afterWaitingNow { self.closeUnused(log) }
  }

  // MARK: -

  private func closeUnused(_ log: SharedLog) {
    let isUnused = entries.withLock { entries in
      guard let entry = entries[log.key], entry.handleCount == 0, !entry.isClosing else {
        return false
      }
      entries[log.key]?.isClosing = true
      return true
    }
    guard isUnused else { return }
    log.environment.close()
    entries.withLock { _ = $0.removeValue(forKey: log.key) }
  }

  private static func key(of directory: String) -> FileKey? {
    var status = stat()
    guard stat(directory + "/" + LogFormat.dataFileName, &status) == 0 else { return nil }
    return FileKey(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// What was begun and not finished may be made again.
  private static func refuseExisting(in directory: String, _ options: LMDBLogOptions) throws {
    var status = stat()
    guard stat(directory + "/" + LogFormat.dataFileName, &status) == 0, status.st_size > 0 else {
      return
    }
    do {
      try LogEnvironment.open(directory: directory, options: options).close()
    } catch let error as LogError where error.code == .notFound {
      return
    }
    throw LogError(
      code: .alreadyExists, message: "There is a store at \(directory) already. Open it instead.")
  }
}
