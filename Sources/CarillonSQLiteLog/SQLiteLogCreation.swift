internal import CarillonLog
package import CarillonModel
internal import Foundation
internal import Synchronization

/// A new log on SQLite that is not yet published.
///
/// Its file has a temporary name until the log is complete and is then renamed, so at every moment
/// there is either a complete store or none. If several processes create a log in the same place,
/// one holds the lock on the marker file, and the others are refused. The files of a process that
/// was killed are replaced.
package struct SQLiteLogMaking: LogCreation {
  package let sqlite: SQLiteEventLog
  package var log: any StoredLog { sqlite }
  private let store: String
  private let made: MadeDirectories
  private let lock: MarkerLock

  init(
    at directory: URL, storeID: StoreID, replica: ReplicaID, options: LogOptions
  ) throws {
    store = directory.path
    var made = MadeDirectories()
    do {
      // Checked again below, when no other process can create a log.
      try Self.requireNothing(in: store)
      try made.make(store)
      lock = try MarkerLock(in: store)
      let path = store + "/" + LogFormat.newFileName
      do {
        try Self.requireNothing(in: store)
        try Self.requireOwn(path)
      } catch {
        if lock.isNew { unlink(store + "/" + LogFormat.markerFileName) }
        lock.release()
        throw error
      }
      do {
        // Files that a killed process left. SQLite would take an old journal for commits to the new
        // file.
        for suffix in [""] + LogFormat.suffixes { unlink(path + suffix) }
        try Self.make(path, storeID, replica, in: store)
        sqlite = try SQLiteEventLog(
          SQLiteBackend(LogFormat.newFileName, in: store, options: options), options: options)
      } catch {
        Self.removeFiles(in: store)
        lock.release()
        throw error
      }
    } catch {
      made.remove()
      throw LogError.wrapping(error)
    }
    self.made = made
  }

  package func publish() throws {
    try sqlite.backend.publish()
    try made.sync()
    try MadeDirectories.sync(store)
    lock.release()
  }

  package func discard() {
    sqlite.closeBlocking()
    // Without the lock, the files may belong to a log that another process has created since.
    if lock.isHeld { Self.removeFiles(in: store) }
    lock.release()
    made.remove()
  }

  // MARK: -

  /// Creates a complete file with an empty log.
  private static func make(
    _ path: String, _ storeID: StoreID, _ replica: ReplicaID, in store: String
  ) throws {
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LogError.refused(errno, "cannot create \(path)") }
    Foundation.close(descriptor)
    let marker = try IdentityMarker(at: store + "/" + LogFormat.markerFileName, creating: false)
    let meta = MetaTable.sealed([
      .format: LogFormat.version.bigEndianBytes, .store: storeID.bytes, .replica: replica.bytes,
      .marker: marker.bytes, .branch: LogState.ownBranchBytes(nil),
    ])
    let connection = try Connection(path, for: .shared, busyTimeout: .zero)
    defer { connection.close() }
    try connection.execute("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL")
    try connection.execute("BEGIN IMMEDIATE; \(LogFormat.schema)")
    let insert = try connection.statement("INSERT INTO meta VALUES(?1, ?2)")
    for (key, value) in meta {
      insert.bind(1, key.rawValue)
      insert.bind(2, value)
      try insert.run()
    }
    try connection.execute("COMMIT")
  }

  private static func requireNothing(in store: String) throws(LogError) {
    var status = stat()
    guard lstat(store + "/" + LogFormat.fileName, &status) == 0 else { return }
    throw LogError(
      code: .alreadyExists, message: "a store already exists at \(store)",
      reason: .existingStore, hint: "open it, or choose another directory")
  }

  /// - Throws: `alreadyExists` if there is a file that Carillon did not create.
  private static func requireOwn(_ path: String) throws(LogError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    var bytes = [UInt8](repeating: 0, count: header.count)
    let descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    defer { if descriptor >= 0 { Foundation.close(descriptor) } }
    guard status.st_mode & S_IFMT == S_IFREG, descriptor >= 0,
      pread(descriptor, &bytes, bytes.count, 0) >= 0,
      bytes == header || bytes.allSatisfy({ $0 == 0 })
    else {
      throw LogError(
        code: .alreadyExists,
        message: "\(path) was not created by Carillon and is left unchanged",
        reason: .foreignFile(path: path))
    }
  }

  /// The first bytes of every SQLite file.
  private static let header = Array("SQLite format 3\0".utf8)

  /// Removes the log's files.
  ///
  /// The marker is removed last, because its lock protects the others.
  private static func removeFiles(in store: String) {
    let path = store + "/" + LogFormat.newFileName
    for suffix in [""] + LogFormat.suffixes { unlink(path + suffix) }
    unlink(store + "/" + LogFormat.markerFileName)
  }
}

/// The lock of a process that creates a log.
///
/// It is a lock on the marker file, which SQLite never opens: if this process closed a file that
/// SQLite has open, SQLite would lose its own locks on it.
private final class MarkerLock: Sendable {
  private let descriptor: Mutex<Int32>
  /// Whether the file was created for the lock.
  let isNew: Bool

  /// - Throws: `alreadyExists` if another process holds the lock.
  init(in store: String) throws {
    let path = store + "/" + LogFormat.markerFileName
    isNew = access(path, F_OK) != 0
    while true {
      let opened = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard opened >= 0 else { throw LogError.refused(errno, "cannot create \(path)") }
      guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        Foundation.close(opened)
        guard code == EWOULDBLOCK else { throw LogError.refused(code, "cannot lock \(path)") }
        throw LogError(
          code: .alreadyExists, message: "another process is creating a store at \(store)",
          reason: .existingStore)
      }
      // The previous holder of the lock may have removed the file.
      if try FileKey(of: path) == FileKey(of: opened, path) {
        descriptor = Mutex(opened)
        return
      }
      Foundation.close(opened)
    }
  }

  var isHeld: Bool { descriptor.withLock { $0 >= 0 } }

  /// Releases the lock, so that other processes can create a log.
  func release() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { Foundation.close(descriptor) }
      descriptor = -1
    }
  }

  deinit { release() }
}
