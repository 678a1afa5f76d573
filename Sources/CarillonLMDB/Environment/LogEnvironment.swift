internal import CLMDB
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// LMDB's environment of one log: its one handle in this process.
///
/// Reading takes a transaction of LMDB, so that writers leave the snapshot's pages alone, and reads
/// them through ``DataFile``. So LMDB's own map may move while readers are at work, and only the
/// beginning of a transaction has to be kept apart from that.
final class LogEnvironment: Sendable {
  let file: DataFile
  let isReadOnly: Bool
  let place: FilesInPlace
  let databases: Databases
  private let maxMapByteCount: Int
  /// How long to wait for another process.
  private let busyTimeout: Duration
  /// Guards the moving of LMDB's map against the beginning of reading transactions, which look at
  /// it, and the closing against readers.
  private let state: Mutex<State>
  /// The commit whose pages were checked, or made, by this process last; the writer's thread's own.
  let checkedTransaction = Atomic<UInt64>(0)
  /// Whether LMDB has no map any more: nothing can be done but to close.
  private let isUnmapped = Atomic(false)
  /// Signalled by the last reader of an environment that is closing.
  private let drained = DispatchSemaphore(value: 0)

  /// The databases' handles, valid while the environment is open.
  struct Databases: Sendable {
    let handles: [MDB_dbi]

    subscript(database: LogDatabase) -> MDB_dbi { handles[database.index] }
  }

  private struct State {
    var handle: EnvironmentHandle?
    /// Of who has the log alone, and has not yet let others in.
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

  /// How many readers of this process hold a snapshot.
  var readerCount: Int { state.withLock(\.readerCount) }

  // MARK: Reading

  /// Begins to read; ``PageReader/end()`` must follow.
  ///
  /// - Throws: `closed`, `busy` where all places for readers are taken, `corrupt`, `io`;
  ///   a ``StorageFailure`` that `isMapResized` where ``adoptMapSize()`` must come first.
  func beginReading() throws -> PageReader {
    let transaction = try state.withLock { state -> OpaquePointer in
      guard let handle = state.handle, !state.isClosing else { throw LogError.handleClosed }
      try requireFiles(handle)
      var transaction: OpaquePointer?
      let code = mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction)
      // A process reserves its place among the readers by a lock on the byte of its number.
      guard code != EAGAIN, code != EACCES else { throw LogError.sameProcessID }
      try check(code, "Cannot read the log")
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
      try check(mdb_txn_renew(transaction), "Cannot read the log")
    }
  }

  /// Ends a reader.
  func endReading(_ transaction: OpaquePointer) {
    mdb_txn_abort(transaction)
    state.withLock { state in
      state.readerCount -= 1
      if state.isClosing && state.readerCount == 0 { drained.signal() }
    }
  }

  /// Forgets readers of processes that ended without leaving, which otherwise keep pages from
  /// being used again; gives their number.
  func checkReaders() throws -> Int {
    try state.withLock { state in
      guard let handle = state.handle else { throw LogError.handleClosed }
      var count: Int32 = 0
      try check(mdb_reader_check(handle.pointer, &count), "Cannot check the readers")
      return Int(count)
    }
  }

  // MARK: Writing; on the writer's thread only

  /// Begins LMDB's write transaction, waiting for other processes; ``endWriting()`` must follow
  /// when it has ended.
  ///
  /// - Throws: `busy` where another process writes for too long, `readOnly`, `closed`, `io`.
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

  /// Lets others in, where the log was opened for its holder alone.
  func share() throws {
    try state.withLock { state in
      guard let hold = state.hold else { return }
      // Converted, and taken beside a shared one: neither has to wait.
      _ = try FileLock.use.take(.shared, on: hold.descriptor)
      _ = try FileLock.use.take(.shared, on: file.descriptor)
      state.hold = nil
    }
  }

  /// How many bytes the data file has.
  var fileByteCount: Int {
    get throws {
      try state.withLock { state in
        guard state.handle != nil else { throw LogError.handleClosed }
        return try file.byteCount
      }
    }
  }

  /// Enlarges the map; no transaction of the writer may be open.
  ///
  /// - Throws: `full` at the limit.
  func grow() throws {
    try state.withLock { state in
      guard state.mapByteCount < maxMapByteCount else {
        throw StorageFailure(
          code: MDB_MAP_FULL, action: "The log has reached its limit of \(maxMapByteCount) bytes")
      }
      let doubled = state.mapByteCount.multipliedReportingOverflow(by: 2)
      try setMapSize(min(maxMapByteCount, doubled.overflow ? .max : doubled.partialValue), &state)
    }
  }

  /// Follows the growth that another process brought about.
  func adoptMapSize() throws {
    try state.withLock { state in
      guard state.handle != nil else { throw LogError.handleClosed }
      let fileByteCount = try file.byteCount
      try setMapSize(max(state.mapByteCount, 2 * fileByteCount), &state)
    }
  }

  /// Closes, after the last reader has left; on the writer's thread.
  ///
  /// Idempotent.
  func close() {
    let mustWait = state.withLock { state in
      state.isClosing = true
      return state.handle != nil && state.readerCount > 0
    }
    if mustWait { drained.wait() }
    state.withLock { state in
      // Better left open than the process ended by the memory that it shows.
      if let handle = state.handle,
        isReadOnly || LockFile.restoreLength(of: handle, readers: Self.maxReaders)
      {
        // A page that is still mapped keeps the file open, and its locks with it.
        FileLock.use.release(on: file.descriptor)
        mdb_env_close(handle.pointer)
      }
      state.handle = nil
      state.hold = nil
    }
  }

  // MARK: -

  private func beginTransaction() throws -> OpaquePointer {
    // Not under the lock: it may wait for another process, and the map moves on this thread only.
    guard let handle = state.withLock(\.handle) else { throw LogError.handleClosed }
    try requireFiles(handle)
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(handle.pointer, nil, 0, &transaction), "Cannot write the log")
    return transaction.unsafelyUnwrapped
  }

  private func setMapSize(_ byteCount: Int, _ state: inout sending State) throws {
    guard let handle = state.handle else { throw LogError.handleClosed }
    try requireFiles(handle)
    // LMDB maps as much as the pages name, and has nothing mapped any more where that fails.
    try file.requireSoundPages()
    let code = mdb_env_set_mapsize(handle.pointer, byteCount)
    isUnmapped.store(code != 0 && code != EINVAL, ordering: .releasing)
    try check(code, mapping: byteCount, "Cannot enlarge the log's map")
    state.mapByteCount = byteCount
  }

  /// Checks that what LMDB is about to look at is there: memory that shows what no file backs ends
  /// the process that reads it.
  private func requireFiles(_ handle: EnvironmentHandle) throws {
    guard !isUnmapped.load(ordering: .acquiring) else {
      throw LogError(
        code: .io, message: "The log could not be mapped when it had grown. Open it again.")
    }
    try file.requireLength()
    if !isReadOnly { try LockFile.requireLength(of: handle, readers: Self.maxReaders) }
  }

  /// Says that the disk is full where that is why the log could not be opened for writing.
  private func whyReadOnly() -> LogError {
    do {
      let directory = state.withLock { $0.handle?.directory }
      if let directory { try LockFile.allocate(in: directory, readers: Self.maxReaders) }
    } catch {
      if error.logError.code == .full { return error.logError }
    }
    return LogError(
      code: .readOnly, message: "The log can be read but not written: it was opened read-only.")
  }
}

/// LMDB's pointer to an environment.
///
/// Sendable: LMDB lets any thread use an environment; the pointer never changes; and every use
/// that LMDB wants kept apart from others (moving the map, closing) is made under the lock of the
/// one ``LogEnvironment`` that holds it, or before that is made.
struct EnvironmentHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// By what path it was opened.
  var directory: String? {
    var path: UnsafePointer<CChar>?
    guard mdb_env_get_path(pointer, &path) == 0 else { return nil }
    return path.map { String(cString: $0) }
  }
}
