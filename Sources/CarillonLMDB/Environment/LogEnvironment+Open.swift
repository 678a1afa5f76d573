internal import CLMDB
internal import CarillonLog
internal import CarillonModel
internal import Foundation

extension LogEnvironment {
  /// The results of opening an environment in LMDB.
  struct Opened {
    let handle: EnvironmentHandle
    let file: DataFile
    let place: FilesInPlace
    let isReadOnly: Bool
    let mapByteCount: Int
  }

  /// Opens the environment of an existing log, after checking what LMDB trusts without a check.
  ///
  /// - Parameters:
  ///   - directory: The log's directory.
  ///   - hold: An exclusive hold of the caller, which the environment keeps.
  ///   - key: The file that must be found, or nil to accept any.
  ///   - options: The size of the map and the limits.
  /// - Throws: `notFound`, `corrupt`, `unsupportedFormat`, `readOnly`, `full`, `busy`, `io`;
  ///   ``OtherFile`` if the file is not the expected one.
  static func open(
    directory: String, hold exclusive: LogHold? = nil, expecting key: FileKey? = nil,
    options: LMDBLogOptions
  ) throws -> LogEnvironment {
    let path = directory + "/" + LogFormat.dataFileName
    try requireFile(path, of: directory)
    let hold = try exclusive ?? LogHold.take(path, .shared, within: options.busyTimeout)
    if let key, key != hold.key { throw OtherFile() }
    if hold.isWritable { try FilesInPlace.requireOneName(LogFormat.sharedFileNames, in: directory) }
    // LMDB treats an empty or short file as new and writes to it.
    _ = try MetaCheck(descriptor: hold.descriptor, path: path).pageSize()
    let wanted = max(options.initialMapByteCount, 2 * (try hold.byteCount))
    let mapByteCount = min(wanted, max(options.maxMapByteCount, try hold.byteCount))
    let opened = try openFiles(directory, hold, mapByteCount, options)
    do {
      if exclusive == nil { _ = try FileLock.use.take(.shared, on: opened.file.descriptor) }
      // A killed compaction may have left this file. No compaction can be running under the hold.
      // The file does no harm if it cannot be removed.
      if !opened.isReadOnly { OwnFile.removeIfOwn(directory + "/" + LogFormat.compactedFileName) }
      return try make(opened, hold: exclusive, options, creating: nil)
    } catch {
      mdb_env_close(opened.handle.pointer)
      throw error
    }
  }

  /// Opens the environment to copy its file.
  ///
  /// The caller must hold the log exclusively.
  static func openForCopy(
    directory: String, hold: LogHold, options: LMDBLogOptions
  ) throws -> LogEnvironment {
    let pageSize = try MetaCheck(descriptor: hold.descriptor, path: hold.path).pageSize()
    let mapByteCount = 2 * (try hold.byteCount)
    let handle = try openHandle(
      directory, mapByteCount, flags: UInt32(MDB_RDONLY) | UInt32(MDB_NOLOCK))
    do {
      let opened = Opened(
        handle: handle,
        file: DataFile(descriptor: try descriptor(of: handle), pageSize: pageSize),
        place: try FilesInPlace(
          directory: directory, names: LogFormat.sharedFileNames,
          optional: [LogFormat.lockFileName]), isReadOnly: true,
        mapByteCount: mapByteCount)
      return try make(opened, hold: nil, options, creating: nil)
    } catch {
      mdb_env_close(handle.pointer)
      throw error
    }
  }

  /// The data file is not the expected one.
  struct OtherFile: Error {}

  /// - Throws: `notFound` if there is no data file.
  static func requireFile(_ path: String, of directory: String) throws(LogError) {
    var status = stat()
    guard stat(path, &status) != 0, errno == ENOENT || errno == ENOTDIR else { return }
    if errno == ENOTDIR, lstat(directory, &status) == 0 {
      throw OwnFile.foreign(directory, code: .notFound)
    }
    throw LogError(
      code: .notFound, message: "no store found: \(directory) contains no log")
  }

  /// Creates the environment, its databases and the first `meta` entries in an empty file, in one
  /// transaction.
  ///
  /// - Parameter hold: The exclusive hold on the file, kept until ``share()``.
  static func create(
    directory: String, hold: LogHold, meta: [MetaKey: [UInt8]], options: LMDBLogOptions
  ) throws -> LogEnvironment {
    let mapByteCount = min(options.initialMapByteCount, options.maxMapByteCount)
    let opened = try openFiles(directory, hold, mapByteCount, options)
    do {
      return try make(opened, hold: hold, options, creating: meta)
    } catch {
      mdb_env_close(opened.handle.pointer)
      throw error
    }
  }

  // MARK: -

  private static func make(
    _ opened: Opened, hold: LogHold?, _ options: LMDBLogOptions, creating meta: [MetaKey: [UInt8]]?
  ) throws -> LogEnvironment {
    func environment(_ databases: Databases) -> LogEnvironment {
      LogEnvironment(opened, databases: databases, hold: hold, options: options)
    }
    let isEmpty = try environment(Databases(handles: [])).withReader { reader in
      let snapshot = try reader.snapshot()
      try reader.requireKnownCommits()
      try snapshot.checkTables()
      return snapshot.isEmpty
    }
    guard isEmpty == (meta != nil) else {
      throw isEmpty
        ? .corrupt("the data file contains no databases")
        : LogError(code: .alreadyExists, message: "a log already exists")
    }
    return environment(try openDatabases(opened, creating: meta))
  }

  private static func openDatabases(
    _ opened: Opened, creating meta: [MetaKey: [UInt8]]?
  ) throws -> Databases {
    var transaction: OpaquePointer?
    let flags = meta == nil ? UInt32(MDB_RDONLY) : 0
    try check(mdb_txn_begin(opened.handle.pointer, nil, flags, &transaction), "cannot open the log")
    do {
      let handles = try LogDatabase.allCases.map { database in
        var handle: MDB_dbi = 0
        try check(
          mdb_dbi_open(
            transaction, database.rawValue, meta == nil ? 0 : UInt32(MDB_CREATE), &handle),
          "cannot open the database \(database.rawValue)")
        return handle
      }
      let databases = Databases(handles: handles)
      for (key, value) in meta ?? [:] {
        try putMeta(key, value, databases[.meta], transaction)
      }
      let committing = transaction
      transaction = nil
      let code = mdb_txn_commit(committing)
      try check(code == EIO ? opened.file.codeOfShortWrite() : code, "cannot create the log")
      return databases
    } catch {
      if let transaction { mdb_txn_abort(transaction) }
      throw error
    }
  }

  private static func putMeta(
    _ key: MetaKey, _ value: [UInt8], _ database: MDB_dbi, _ transaction: OpaquePointer?
  ) throws {
    var name = Array(key.rawValue.utf8)
    var value = value
    try name.withUnsafeMutableBytes { name in
      try value.withUnsafeMutableBytes { value in
        var key = MDB_val(mv_size: name.count, mv_data: name.baseAddress)
        var data = MDB_val(mv_size: value.count, mv_data: value.baseAddress)
        try check(mdb_put(transaction, database, &key, &data, 0), "cannot create the log")
      }
    }
  }

  /// Opens for writing, or for reading only if the file system or the file's permissions allow no
  /// more.
  private static func openFiles(
    _ directory: String, _ hold: LogHold, _ mapByteCount: Int, _ options: LMDBLogOptions
  ) throws -> Opened {
    let (handle, isReadOnly) = try openHandle(directory, hold, mapByteCount, options)
    do {
      let descriptor = try descriptor(of: handle)
      let pageSize = try MetaCheck(descriptor: descriptor, path: hold.path).pageSize()
      return Opened(
        handle: handle, file: DataFile(descriptor: descriptor, pageSize: pageSize),
        place: try FilesInPlace(
          directory: directory, names: LogFormat.sharedFileNames,
          optional: isReadOnly ? [LogFormat.lockFileName] : []),
        isReadOnly: isReadOnly, mapByteCount: mapByteCount)
    } catch {
      mdb_env_close(handle.pointer)
      throw error
    }
  }

  private static func openHandle(
    _ directory: String, _ hold: LogHold, _ mapByteCount: Int, _ options: LMDBLogOptions
  ) throws -> (EnvironmentHandle, isReadOnly: Bool) {
    if hold.isWritable {
      var patience = Patience(options.busyTimeout)
      try FileLock.opening.wait(.exclusive, on: hold.descriptor, of: hold.path, &patience)
      defer { FileLock.opening.release(on: hold.descriptor) }
      // A new file that LMDB began to write has nothing to read.
      let isNew = try hold.byteCount == 0
      do {
        return (try openHandle(directory, mapByteCount, flags: flags(of: options)), false)
      } catch {
        guard [.readOnly, .full].contains(error.logError.code), !isNew else { throw error }
      }
    }
    do {
      return (try openHandle(directory, mapByteCount, flags: UInt32(MDB_RDONLY)), true)
    } catch {
      // The data file was opened before.
      guard error.logError.code == .readOnly else { throw error }
      throw LockFile.unwritable(in: directory, error)
    }
  }

  /// The flags that decide what a commit syncs.
  ///
  /// Without a sync of its meta page, a commit is durable with the next one. Its other pages are
  /// synced before its meta page is written, and before any page of the last durable commit is
  /// reused. Without any sync, LMDB would not survive a power cut.
  private static func flags(of options: LMDBLogOptions) -> UInt32 {
    options.durability == .full ? 0 : UInt32(MDB_NOMETASYNC)
  }

  /// The descriptor that LMDB itself reads and writes with.
  private static func descriptor(of handle: EnvironmentHandle) throws -> Int32 {
    var descriptor: mdb_filehandle_t = -1
    try check(mdb_env_get_fd(handle.pointer, &descriptor), "cannot open the log")
    // Otherwise a child process would keep the locks.
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw StorageFailure(code: errno, action: "cannot open the log")
    }
    return descriptor
  }

  private static func openHandle(
    _ directory: String, _ mapByteCount: Int, flags: UInt32
  ) throws(StorageFailure) -> EnvironmentHandle {
    var created: OpaquePointer?
    try check(mdb_env_create(&created), "cannot open the log")
    guard let environment = created else {
      throw StorageFailure(code: ENOMEM, action: "cannot open the log")
    }
    do {
      let flags = try allocateLockFile(in: directory, flags: flags)
      try check(mdb_env_set_maxdbs(environment, MDB_dbi(LogDatabase.allCases.count)), "maxdbs")
      try check(mdb_env_set_maxreaders(environment, maxReaders), "maxreaders")
      try check(mdb_env_set_mapsize(environment, mapByteCount), "mapsize")
      // MDB_NOTLS: a snapshot belongs to its holder and not to a thread, because a task may run on
      // several threads.
      try check(
        mdb_env_open(environment, directory, flags | UInt32(MDB_NOTLS), 0o600),
        mapping: mapByteCount, "cannot open \(directory)")
    } catch {
      mdb_env_close(environment)
      throw error
    }
    return EnvironmentHandle(pointer: environment)
  }

  /// Allocates the lock file.
  ///
  /// A read-only process without space for a lock file continues without one: since there is none,
  /// no process writes.
  private static func allocateLockFile(
    in directory: String, flags: UInt32
  ) throws(StorageFailure) -> UInt32 {
    guard flags & UInt32(MDB_NOLOCK) == 0 else { return flags }
    do {
      try LockFile.allocate(in: directory, readers: maxReaders)
    } catch {
      guard flags & UInt32(MDB_RDONLY) != 0 else { throw error }
      if error.logError.code == .full { return flags | UInt32(MDB_NOLOCK) }
    }
    return flags
  }

  /// The maximum number of concurrent readers, over all processes.
  static let maxReaders: UInt32 = 510
}
