package import CarillonLog
package import CarillonModel
package import Foundation

/// The event log on SQLite: a handle on the file `log.sqlite` of a store directory.
///
/// Several handles, of one process or of several, may open the same log. A handle that is released
/// without ``close()`` is closed in the background.
package final class SQLiteEventLog: StoredLog, LogAdapter {
  package let handle: LogHandle
  let backend: SQLiteBackend

  init(_ backend: SQLiteBackend, options: LogOptions) throws {
    self.backend = backend
    let appends = Broadcast<LogPosition>()
    let writer = LogWriter(
      backend, appends: appends, durability: options.durability,
      makeReplicaID: options.makeReplicaID)
    handle = LogHandle(try backend.read { $0.state.storeID }, writer, appends: appends)
  }

  deinit {
    guard handle.end() else { return }
    handle.writer.afterWaiting { [backend, writer = handle.writer] in
      writer.syncCommits()
      backend.pool.close()
    }
  }

  /// Creates an empty log in a store directory, and the directory if it is missing.
  ///
  /// - Throws: `LogError`: `alreadyExists`, `readOnly`, `full`, `io`.
  package static func create(
    at directory: URL, storeID: StoreID, replica: ReplicaID, options: LogOptions = LogOptions()
  ) throws -> SQLiteEventLog {
    let making = try SQLiteLogMaking(
      at: directory, storeID: storeID, replica: replica, options: options)
    do {
      try making.publish()
      return making.sqlite
    } catch {
      making.discard()
      throw error
    }
  }

  /// Opens the log of a store directory; see `LogStorage`.
  package static func open(
    at directory: URL, options: LogOptions = LogOptions()
  ) throws -> SQLiteEventLog {
    let backend = try SQLiteBackend(
      LogFormat.fileName, in: directory.path, options: options)
    do {
      let log = try SQLiteEventLog(backend, options: options)
      try log.claimIdentity()
      return log
    } catch {
      backend.pool.close()
      throw error
    }
  }

  /// Whether the log can be read but not written.
  package var isReadOnly: Bool { backend.pool.isReadOnly }

  package func close() async {
    guard handle.end() else { return }
    await handle.writer.afterWaiting { [backend, writer = handle.writer] in
      writer.syncCommits()
      backend.pool.close()
    }
  }

  package func closeBlocking() {
    guard handle.end() else { return }
    handle.writer.afterWaitingNow {
      handle.writer.syncCommits()
      backend.pool.close()
    }
  }

  package func checkFiles() throws {
    guard !handle.isClosed else { return }
    try backend.checkFiles()
    _ = try backend.read { $0.state }
  }

  package func verify(
    maxProblemCount: Int, progress: @escaping @Sendable (_ count: UInt64) -> Bool
  ) throws -> [LogProblem] {
    try handle.checkOpen()
    let backend = backend
    return try CheckedEvents.inTwoRanges(through: backend.read { $0.state.lastPosition }) { half in
      try backend.read { snapshot in
        var verification = LogVerification(
          snapshot, maxProblemCount: maxProblemCount, progress: progress)
        return try verification.checked(half)
      }
    } rest: { first, earlier in
      try backend.read { snapshot in
        var verification = LogVerification(
          snapshot, maxProblemCount: maxProblemCount, progress: progress)
        for problem in try snapshot.connection.pageProblems(maxCount: maxProblemCount) {
          verification.add(problem)
        }
        return try verification.finish(from: first, after: earlier)
      }
    }
  }

  /// The size of the used pages of the log's file in bytes, including those that are still in its
  /// journal.
  package func byteCount() throws -> UInt64 {
    try handle.checkOpen()
    return try backend.read { try $0.connection.byteCount() }
  }

  /// Sets the most bytes that the used pages may have after new events; events that need more are
  /// refused with `full`.
  ///
  /// A log that is larger already stays as it is, and takes no new events.
  package func setByteLimit(_ limit: UInt64) {
    backend.setByteLimit(limit)
  }

  package func read<Result>(_ body: (any ScannableView) throws -> Result) throws -> Result {
    try handle.checkOpen()
    return try backend.read(body)
  }

  /// Takes a new identity in a copied directory.
  ///
  /// If the disk is full, that happens before the first write instead.
  private func claimIdentity() throws {
    do {
      if try backend.mustClaimIdentity() { try handle.writer.writeNow(.claim) }
    } catch let error as LogError where error.code == .full {}
  }
}
