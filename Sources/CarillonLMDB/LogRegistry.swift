internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// The logs that this process has open.
///
/// LMDB's locks belong to the process. Closing a second handle would release the locks of the
/// first, and writers could then reuse pages that are still being read. A process therefore has one
/// environment for each data file, which is identified by its device and inode, whatever path leads
/// to it.
final class LogRegistry: Sendable {
  static let shared = LogRegistry()

  /// Held only for a short lookup or change.
  private let entries = Mutex<[FileKey: Entry]>([:])

  private enum Entry {
    /// A thread is opening or closing the log.
    case busy
    case open(SharedLog, handleCount: Int)
  }

  /// Returns the log in a directory, opening it if it is not open yet.
  ///
  /// - Throws: `busy` if another thread or process does not release it in time.
  func open(directory: String, options: LMDBLogOptions) throws -> SharedLog {
    let path = directory + "/" + LogFormat.dataFileName
    var patience = Patience(options.busyTimeout)
    while true {
      try LogEnvironment.requireFile(path, of: directory)
      guard let key = try FileKey(of: path) else { continue }
      switch claim(key) {
      case .open(let log, _): return log
      case .busy:
        guard patience.wait() else { throw FileLock.use.busy(path, patience.limit) }
      case nil:
        if let log = try open(directory, key, options) { return log }
      }
    }
  }

  /// Adds a log that was just created, with one handle.
  func add(_ log: SharedLog) -> SharedLog {
    entries.withLock { $0[log.key] = .open(log, handleCount: 1) }
    return log
  }

  /// Releases a handle, and waits until its calls are finished and, if it was the last handle, the
  /// log is closed.
  func release(_ log: SharedLog) async {
    countDown(log)
    await log.writer.afterWaiting { self.closeUnused(log) }
  }

  /// Releases a handle in the background.
  func releaseLater(_ log: SharedLog) {
    countDown(log)
    log.writer.afterWaiting { self.closeUnused(log) }
  }

  /// Releases a handle and waits until its calls are finished.
  ///
  /// If no calls are pending, the work runs on the caller's thread.
  func releaseNow(_ log: SharedLog) {
    countDown(log)
    log.writer.afterWaitingNow { self.closeUnused(log) }
  }

  // MARK: -

  /// Claims another handle of an open log, or the right to open a closed one; otherwise changes
  /// nothing.
  private func claim(_ key: FileKey) -> Entry? {
    entries.withLock { entries in
      let entry = entries[key]
      switch entry {
      case .open(let log, let count): entries[key] = .open(log, handleCount: count + 1)
      case .busy: break
      case nil: entries[key] = .busy
      }
      return entry
    }
  }

  /// Opens a log that this thread has claimed; returns nil if its file was replaced in the
  /// meantime.
  private func open(
    _ directory: String, _ key: FileKey, _ options: LMDBLogOptions
  ) throws -> SharedLog? {
    do {
      return add(try SharedLog.open(directory: directory, expecting: key, options: options))
    } catch {
      entries.withLock { _ = $0.removeValue(forKey: key) }
      if error is LogEnvironment.OtherFile { return nil }
      throw error
    }
  }

  private func countDown(_ log: SharedLog) {
    entries.withLock { entries in
      guard case .open(_, let count) = entries[log.key] else { return }
      entries[log.key] = .open(log, handleCount: count - 1)
    }
  }

  private func closeUnused(_ log: SharedLog) {
    let isUnused = entries.withLock { entries in
      guard case .open(_, 0) = entries[log.key] else { return false }
      entries[log.key] = .busy
      return true
    }
    guard isUnused else { return }
    log.writer.syncCommits()
    log.environment.close()
    entries.withLock { _ = $0.removeValue(forKey: log.key) }
  }
}
