internal import CLMDB
internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// The one handle of this process on a log's LMDB environment.
///
/// A reader holds an LMDB transaction, so that writers do not reuse the snapshot's pages, and reads
/// these pages through ``DataFile``. LMDB's own map may therefore move while readers are active.
/// Only the start of a transaction must not overlap with such a move.
final class LogEnvironment: Sendable {
  let file: DataFile
  let isReadOnly: Bool
  let place: FilesInPlace
  let databases: Databases
  private let maxMapByteCount: Int
  /// The time limit for waiting for another process.
  private let busyTimeout: Duration
  /// Guards the environment's state, so that LMDB's map does not move while a reading transaction
  /// starts, and the environment does not close while there are readers.
  private let state: Mutex<State>
  /// The last commit whose pages this process checked or wrote; used on the writer's thread only.
  let checkedTransaction = Atomic<UInt64>(0)
  /// Whether LMDB has lost its map, so that the environment can only be closed.
  private let isUnmapped = Atomic(false)
  /// Signalled by the last reader when the environment is closing.
  private let drained = DispatchSemaphore(value: 0)

  /// The handles of the databases, valid while the environment is open.
  struct Databases: Sendable {
    let handles: [MDB_dbi]

    subscript(database: LogDatabase) -> MDB_dbi { handles[database.index] }
  }

  private struct State {
    var handle: EnvironmentHandle?
    /// The hold of a process that opened the log exclusively and has not yet called ``share()``.
    var hold: LogHold?
    var readerCount = 0
    var isClosing = false
    var mapByteCount: Int
  }

  init(
    _ opened: Opened, databases: Databases, hold: LogHold?, options: LMDBLogOptions
  ) {
    file = opened.file
    place = opened.place
    isReadOnly = opened.isReadOnly
    self.databases = databases
    maxMapByteCount = options.maxMapByteCount
    busyTimeout = options.busyTimeout
    state = Mutex(State(handle: opened.handle, hold: hold, mapByteCount: opened.mapByteCount))
  }

  /// The number of readers in this process that hold a snapshot.
  var readerCount: Int { state.withLock(\.readerCount) }

  // MARK: Reading

  /// Starts a reading transaction; ``PageReader/end()`` must follow.
  ///
  /// - Throws: `closed`; `busy` if the reader table is full; `corrupt`; `io`, also if a file was
  ///   removed or replaced; a ``StorageFailure`` that `isMapResized` if ``adoptMapSize()`` must be
  ///   called first.
  func beginReading() throws -> PageReader {
    try place.check()
    let transaction = try state.withLock { state -> OpaquePointer in
      guard let handle = state.handle, !state.isClosing else { throw LogError.handleClosed }
      try requireFiles(handle)
      var transaction: OpaquePointer?
      let code = mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction)
      // A process reserves its entry in the reader table by a lock on the byte at its process ID.
      guard code != EAGAIN, code != EACCES else { throw LogError.sameProcessID }
      try check(code, "cannot read the log")
      state.readerCount += 1
      return transaction.unsafelyUnwrapped
    }
    return PageReader(environment: self, transaction: transaction)
  }

  /// Moves a reader to the newest snapshot.
  func renew(_ transaction: OpaquePointer) throws {
    try state.withLock { state in
      guard let handle = state.handle else { throw LogError.handleClosed }
      try requireFiles(handle)
      mdb_txn_reset(transaction)
      try check(mdb_txn_renew(transaction), "cannot read the log")
    }
  }

  /// Ends a reading transaction.
  func endReading(_ transaction: OpaquePointer) {
    mdb_txn_abort(transaction)
    state.withLock { state in
      state.readerCount -= 1
      if state.isClosing && state.readerCount == 0 { drained.signal() }
    }
  }

  /// Removes the readers of processes that ended without closing, which would otherwise keep pages
  /// from being reused.
  ///
  /// - Returns: The number of removed readers.
  func checkReaders() throws -> Int {
    try state.withLock { state in
      guard let handle = state.handle else { throw LogError.handleClosed }
      var count: Int32 = 0
      try check(mdb_reader_check(handle.pointer, &count), "cannot check the readers")
      return Int(count)
    }
  }

  // MARK: Writing (on the writer's thread only)

  /// Starts LMDB's write transaction, waiting for other processes.
  ///
  /// ``endWriting()`` must follow when the transaction has ended.
  ///
  /// - Throws: `busy` if another process does not finish writing in time; `readOnly`; `closed`;
  ///   `io`.
  func beginWriting() throws -> OpaquePointer {
    guard !isReadOnly else { throw whyReadOnly() }
    guard state.withLock({ $0.handle != nil }) else { throw LogError.handleClosed }
    var patience = Patience(busyTimeout)
    let path = place.directory + "/" + LogFormat.dataFileName
    try FileLock.turn.wait(.exclusive, on: file.descriptor, of: path, &patience)
    defer { FileLock.turn.release(on: file.descriptor) }
    try FileLock.writing.wait(.exclusive, on: file.descriptor, of: path, &patience)
    do {
      do {
        return try beginTransaction()
      } catch  where error.isMapResized {
        try adoptMapSize()
        return try beginTransaction()
      }
    } catch {
      endWriting()
      throw error
    }
  }

  /// Lets other processes write.
  func endWriting() {
    FileLock.writing.release(on: file.descriptor)
  }

  /// Makes all commits durable.
  func sync() throws {
    guard let handle = state.withLock(\.handle) else { throw LogError.handleClosed }
    try check(mdb_env_sync(handle.pointer, 1), "cannot sync the log")
  }

  /// Lets other processes use a log that was opened exclusively.
  func share() throws {
    try state.withLock { state in
      guard let hold = state.hold else { return }
      // One lock is converted and the other is taken in addition to a shared one, so neither waits.
      _ = try FileLock.use.take(.shared, on: hold.descriptor)
      _ = try FileLock.use.take(.shared, on: file.descriptor)
      state.hold = nil
    }
  }

  /// The size of the data file in bytes.
  var fileByteCount: Int {
    get throws {
      try state.withLock { state in
        guard state.handle != nil else { throw LogError.handleClosed }
        return try file.byteCount
      }
    }
  }

  /// Doubles the size of the map, up to its limit.
  ///
  /// The writer must have no open transaction.
  ///
  /// - Throws: `full` at the limit.
  func grow() throws {
    try state.withLock { state in
      guard state.mapByteCount < maxMapByteCount else {
        throw StorageFailure(
          code: MDB_MAP_FULL, action: "the log has reached its limit of \(maxMapByteCount) bytes")
      }
      let doubled = state.mapByteCount.multipliedReportingOverflow(by: 2)
      try setMapSize(min(maxMapByteCount, doubled.overflow ? .max : doubled.partialValue), &state)
    }
  }

  /// Adopts the map size after another process has grown the file.
  func adoptMapSize() throws {
    try state.withLock { state in
      guard state.handle != nil else { throw LogError.handleClosed }
      let fileByteCount = try file.byteCount
      try setMapSize(max(state.mapByteCount, 2 * fileByteCount), &state)
    }
  }

  /// Closes the environment after the last reader has ended.
  ///
  /// Must run on the writer's thread.
  ///
  /// Idempotent.
  func close() {
    let mustWait = state.withLock { state in
      state.isClosing = true
      return state.handle != nil && state.readerCount > 0
    }
    if mustWait { drained.wait() }
    state.withLock { state in
      // Leaving it open is better than having the process killed for reading unmapped memory.
      if let handle = state.handle,
        isReadOnly || LockFile.restoreLength(of: handle, readers: Self.maxReaders)
      {
        // A page that is still mapped keeps the file open, and with it the file's locks.
        FileLock.use.release(on: file.descriptor)
        mdb_env_close(handle.pointer)
      }
      state.handle = nil
      state.hold = nil
    }
  }

  // MARK: -

  private func beginTransaction() throws -> OpaquePointer {
    // Not under the lock: this may wait for another process, and the map moves on this thread only.
    guard let handle = state.withLock(\.handle) else { throw LogError.handleClosed }
    try requireFiles(handle)
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(handle.pointer, nil, 0, &transaction), "cannot write the log")
    return transaction.unsafelyUnwrapped
  }

  private func setMapSize(_ byteCount: Int, _ state: inout sending State) throws {
    guard let handle = state.handle else { throw LogError.handleClosed }
    try requireFiles(handle)
    // LMDB maps the range that the pages name. If that fails, it has no map at all.
    try file.requireSoundPages()
    let code = mdb_env_set_mapsize(handle.pointer, byteCount)
    isUnmapped.store(code != 0 && code != EINVAL, ordering: .releasing)
    try check(code, mapping: byteCount, "cannot enlarge the log's map")
    state.mapByteCount = byteCount
  }

  /// Checks that the files still back the memory that LMDB is about to read.
  ///
  /// The system kills a process that reads mapped memory beyond the end of a file.
  private func requireFiles(_ handle: EnvironmentHandle) throws {
    guard !isUnmapped.load(ordering: .acquiring) else {
      throw LogError(
        code: .io,
        message: "the log could not be mapped after it had grown; it must be opened again")
    }
    try file.requireLength()
    if !isReadOnly { try LockFile.requireLength(of: handle, readers: Self.maxReaders) }
  }

  /// The error for writing to a read-only log: `full` if the log could not be opened for writing
  /// because the disk is full.
  private func whyReadOnly() -> LogError {
    guard let directory = state.withLock(\.handle)?.directory else { return .handleClosed }
    do {
      try LockFile.allocate(in: directory, readers: Self.maxReaders)
    } catch {
      if error.logError.code == .full { return error.logError }
    }
    return .openedReadOnly(directory + "/" + LogFormat.dataFileName)
  }
}

/// LMDB's pointer to an environment.
///
/// Sendable: LMDB lets any thread use an environment; the pointer never changes; and every use that
/// LMDB requires to be exclusive (moving the map, closing) happens under the lock of the one
/// ``LogEnvironment`` that holds it, or before that environment exists.
struct EnvironmentHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// The path by which the environment was opened.
  var directory: String? {
    var path: UnsafePointer<CChar>?
    guard mdb_env_get_path(pointer, &path) == 0 else { return nil }
    return path.map { String(cString: $0) }
  }
}
