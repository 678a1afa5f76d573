internal import CarillonLog
package import CarillonModel
package import Foundation

/// The storage that keeps a log in SQLite: in the file `log.sqlite` of a store directory, in WAL
/// mode.
package struct SQLiteLogStorage: LogStorage {
  /// Creates the storage.
  package init() {}

  package var name: String { "sqlite" }

  // In a page, a row has a pointer of 2 bytes, its size and position in at least 2, the types of 6
  // columns and their number in 7, and the ID in 32.
  package var leastByteCountBesidePayload: Int { 43 }

  package func owns(_ fileName: String) -> Bool {
    LogFormat.fileNames.contains(fileName) || ownsUnfinished(fileName)
  }

  package func ownsUnfinished(_ fileName: String) -> Bool {
    LogFormat.unfinishedNames.contains(fileName)
  }

  package func make(
    at directory: URL, storeID: StoreID, replica: ReplicaID, options: LogOptions
  ) throws -> any LogCreation {
    try SQLiteLogMaking(at: directory, storeID: storeID, replica: replica, options: options)
  }

  package func open(at directory: URL, options: LogOptions) throws -> any StoredLog {
    try SQLiteEventLog.open(at: directory, options: options)
  }

  package func compact(at directory: URL, options: LogOptions) throws {
    try Self.withAlone(directory, options) { connection in
      // VACUUM writes to the journal first, and from there to the file. Closing empties the
      // journal.
      try connection.execute("VACUUM")
    }
  }

  package func setStoreID(
    _ storeID: StoreID, at directory: URL, options: LogOptions
  ) throws -> Bool {
    try Self.withAlone(directory, options) { connection in
      let transaction = try SQLiteTransaction(connection) {
        try LogState(SQLiteTables($0))
      } end: {
      }
      defer { transaction.abort() }
      guard transaction.state.storeID != storeID else { return false }
      try transaction.putMeta(.store, storeID.bytes)
      try transaction.setGeneration(transaction.state.generation + 1)
      try transaction.commit()
      return true
    }
  }

  /// Calls `body` with a connection to a log that no other handle or process has open.
  ///
  /// - Throws: `busy`, naming the holder, if one of them does not close it in time.
  private static func withAlone<Result>(
    _ directory: URL, _ options: LogOptions, _ body: (Connection) throws -> Result
  ) throws -> Result {
    let path = directory.path + "/" + LogFormat.fileName
    guard try FileKey(of: path) != nil else {
      throw LogError(code: .notFound, message: "there is no store: \(directory.path) holds no log")
    }
    try FilesInPlace.requireOneName([LogFormat.fileName], in: directory.path)
    // SQLite fails with another error in a directory that cannot be written.
    for place in [path, directory.path] where access(place, W_OK) != 0 {
      throw LogError.refused(errno, "cannot write \(place)")
    }
    let connection = try Connection(path, for: .exclusive, busyTimeout: options.busyTimeout)
    defer { connection.close() }
    // Takes the lock, and reads the tables before anything is written.
    _ = try LogState(SQLiteTables(connection))
    return try body(connection)
  }
}

extension Connection {
  /// The size of the used pages of the file, including those that are still in the journal.
  func byteCount() throws(LogError) -> UInt64 {
    let all = try integer("PRAGMA page_count") ?? 0
    let free = try integer("PRAGMA freelist_count") ?? 0
    return (all - min(free, all)) * (try integer("PRAGMA page_size") ?? 1)
  }

  /// Returns the problems in the pages of the file.
  func pageProblems(maxCount: Int) throws(LogError) -> [String] {
    let row = try statement("PRAGMA quick_check(\(maxCount))")
    defer { row.reset() }
    var problems: [String] = []
    while try row.step() {
      if row.text(0) != "ok" { problems.append("\(path): \(row.text(0))") }
    }
    return problems
  }
}
