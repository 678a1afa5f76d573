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

  /// Guards the entries, and is held for a look only.
  private let entries = Mutex<[FileKey: Entry]>([:])

  private enum Entry {
    /// A thread opens or closes it.
    case busy
    case open(SharedLog, handleCount: Int)
  }

  /// The log in a directory, opened where it is not yet.
  ///
  /// - Throws: `busy` where another thread, or process, keeps it for too long.
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

  /// Takes up a log that was just made, with one handle.
  func add(_ log: SharedLog) -> SharedLog {
    entries.withLock { $0[log.key] = .open(log, handleCount: 1) }
    return log
  }

  /// Gives a handle back; the last one closes the log once the writer is done.
  ///
  /// - Parameter done: Is called when the handle's calls are done, and the log is closed where it
  ///   was the last.
  func release(_ log: SharedLog, done: @escaping @Sendable () -> Void = {}) {
    countDown(log)
    log.writer.afterWaiting {
      self.closeUnused(log)
      done()
    }
  }

  /// Gives a handle back and waits until its calls are done, on the caller's thread where there are
  /// none.
  func releaseNow(_ log: SharedLog) {
    countDown(log)
    log.writer.afterWaitingNow { self.closeUnused(log) }
  }

  // MARK: -

  /// Takes one more handle of what is open, or the right to open what is not; else changes nothing.
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

  /// Opens a log for which the right was taken; nil where its file was replaced meanwhile.
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
    log.environment.close()
    entries.withLock { _ = $0.removeValue(forKey: log.key) }
  }
}
