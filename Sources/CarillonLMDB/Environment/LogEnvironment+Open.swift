internal import CLMDB
internal import CarillonModel
internal import Foundation

extension LogEnvironment {
  /// Opens the environment of a log that is there, after a look at what LMDB will trust.
  ///
  /// - Parameter hold: On the directory, until the environment is closed; a shared one by default.
  /// - Throws: `notFound`, `corrupt`, `unsupportedFormat`, `readOnly`, `full`, `io`.
  static func open(
    directory: String, hold: DirectoryHold? = nil, options: LMDBLogOptions
  ) throws -> LogEnvironment {
    let path = directory + "/" + LogFormat.dataFileName
    try requireFile(path, of: directory)
    let hold = try hold ?? DirectoryHold.shared(directory)
    // LMDB takes an empty or short file for a new one and writes to it.
    let file = try DataFile(path: path)
    let (handle, isReadOnly, mapByteCount) = try openHandle(
      directory, fileByteCount: try file.byteCount, options)
    do {
      let place = isReadOnly ? nil : try FilesInPlace(directory: directory)
      // What a compaction left that was killed: none can be under way under the hold. Where it
      // cannot be removed it does no harm.
      if !isReadOnly { unlink(directory + "/" + LogFormat.compactedFileName) }
      return try make(handle, file, place, hold, mapByteCount, options, creating: nil)
    } catch {
      mdb_env_close(handle.pointer)
      throw error
    }
  }

  /// Opens the environment for a copy of its file, by somebody who keeps all others out.
  static func openForCopy(directory: String, options: LMDBLogOptions) throws -> LogEnvironment {
    let file = try DataFile(path: directory + "/" + LogFormat.dataFileName)
    let mapByteCount = 2 * (try file.byteCount)
    let handle = try openHandle(
      directory, mapByteCount, flags: UInt32(MDB_RDONLY) | UInt32(MDB_NOLOCK))
    do {
      return try make(handle, file, nil, nil, mapByteCount, options, creating: nil)
    } catch {
      mdb_env_close(handle.pointer)
      throw error
    }
  }

  /// - Throws: `notFound` where there is no data file.
  static func requireFile(_ path: String, of directory: String) throws(LogError) {
    var status = stat()
    guard stat(path, &status) != 0, errno == ENOENT || errno == ENOTDIR else { return }
    throw LogError(
      code: .notFound, message: "there is no store: \(directory) holds no log")
  }

  /// Makes the environment and its databases in a directory that has none, with a first `meta`, in
  /// one transaction.
  static func create(
    directory: String, meta: [MetaKey: [UInt8]], options: LMDBLogOptions
  ) throws -> LogEnvironment {
    let hold = try DirectoryHold.shared(directory)
    let (handle, _, mapByteCount) = try openHandle(directory, fileByteCount: 0, options)
    do {
      let file = try DataFile(path: directory + "/" + LogFormat.dataFileName)
      let place = try FilesInPlace(directory: directory)
      return try make(handle, file, place, hold, mapByteCount, options, creating: meta)
    } catch {
      mdb_env_close(handle.pointer)
      throw error
    }
  }

  // MARK: -

  private static func make(
    _ handle: EnvironmentHandle, _ file: DataFile, _ place: FilesInPlace?,
    _ hold: DirectoryHold?, _ mapByteCount: Int, _ options: LMDBLogOptions,
    creating meta: [MetaKey: [UInt8]]?
  ) throws -> LogEnvironment {
    func environment(_ databases: Databases) -> LogEnvironment {
      LogEnvironment(
        handle: handle, file: file, databases: databases, place: place,
        hold: hold, mapByteCount: mapByteCount, maxMapByteCount: options.maxMapByteCount)
    }
    let isEmpty = try environment(Databases(handles: [])).read { snapshot in
      try snapshot.checkForWriting()
      return snapshot.isEmpty
    }
    guard meta != nil || !isEmpty else {
      throw LogError(
        code: .notFound,
        message: "The store was begun but not finished. Make it again in the same place.")
    }
    return environment(try openDatabases(handle, creating: meta))
  }

  private static func openDatabases(
    _ handle: EnvironmentHandle, creating meta: [MetaKey: [UInt8]]?
  ) throws -> Databases {
    var transaction: OpaquePointer?
    let flags = meta == nil ? UInt32(MDB_RDONLY) : 0
    try check(mdb_txn_begin(handle.pointer, nil, flags, &transaction), "Cannot open the log")
    do {
      let handles = try LogDatabase.allCases.map { database in
        var handle: MDB_dbi = 0
        try check(
          mdb_dbi_open(
            transaction, database.rawValue, meta == nil ? 0 : UInt32(MDB_CREATE), &handle),
          "Cannot open the database \(database.rawValue)")
        return handle
      }
      let databases = Databases(handles: handles)
      for (key, value) in meta ?? [:] {
        try putMeta(key, value, databases[.meta], transaction)
      }
      let committing = transaction
      transaction = nil
      try check(mdb_txn_commit(committing), "Cannot make the log")
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
        try check(mdb_put(transaction, database, &key, &data, 0), "Cannot make the log")
      }
    }
  }

  /// Opens for writing, or for reading where the file system or the file allows no more.
  private static func openHandle(
    _ directory: String, fileByteCount: Int, _ options: LMDBLogOptions
  ) throws -> (EnvironmentHandle, isReadOnly: Bool, mapByteCount: Int) {
    let wanted = max(options.initialMapByteCount, 2 * fileByteCount)
    let mapByteCount = min(wanted, max(options.maxMapByteCount, fileByteCount))
    do {
      return (try openHandle(directory, mapByteCount, flags: 0), false, mapByteCount)
    } catch {
      guard [.readOnly, .full].contains(error.logError.code), fileByteCount > 0 else { throw error }
    }
    return (try openHandle(directory, mapByteCount, flags: UInt32(MDB_RDONLY)), true, mapByteCount)
  }

  private static func openHandle(
    _ directory: String, _ mapByteCount: Int, flags: UInt32
  ) throws(StorageFailure) -> EnvironmentHandle {
    var created: OpaquePointer?
    try check(mdb_env_create(&created), "Cannot open the log")
    guard let environment = created else {
      throw StorageFailure(code: ENOMEM, action: "Cannot open the log")
    }
    do {
      let flags = try allocateLockFile(in: directory, flags: flags)
      try check(mdb_env_set_maxdbs(environment, MDB_dbi(LogDatabase.allCases.count)), "maxdbs")
      try check(mdb_env_set_maxreaders(environment, maxReaders), "maxreaders")
      try check(mdb_env_set_mapsize(environment, mapByteCount), "mapsize")
      // MDB_NOTLS: a snapshot belongs to who holds it and not to a thread, of which a task may
      // use several.
      try check(
        mdb_env_open(environment, directory, flags | UInt32(MDB_NOTLS), 0o600),
        "Cannot open \(directory)")
    } catch {
      mdb_env_close(environment)
      throw error
    }
    return EnvironmentHandle(pointer: environment)
  }

  /// Without room for a lock file, who only reads goes without: there is none, so nobody writes.
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

  /// Readers at one moment, over all processes.
  static let maxReaders: UInt32 = 510
}
