internal import CLMDB
internal import CarillonModel
internal import Foundation

/// A new data file with the entries of a snapshot.
///
/// LMDB's own copy counts the pages by the free list and by the descriptions of the databases; this
/// one needs neither, and so also copies a log in which they are wrong.
struct CompactedCopy {
  private let environment: OpaquePointer
  /// The file that is copied.
  private let file: DataFile
  private var transaction: OpaquePointer?
  /// Of the transaction.
  private var byteCount = 0

  /// How many bytes one transaction writes, which holds as many in memory.
  private static let maxByteCount = 16 << 20

  /// Writes an empty file, and leaves it to be synchronized.
  ///
  /// - Throws: `corrupt` where an entry cannot be read or an event is missing; ``StorageFailure``.
  static func write(_ snapshot: PageSnapshot, of file: DataFile, to path: String) throws {
    var copy = try CompactedCopy(path, of: file)
    defer { copy.close() }
    for database in LogDatabase.allCases { try copy.add(snapshot.tree(database), as: database) }
    try copy.commit()
  }

  private init(_ path: String, of file: DataFile) throws {
    var created: OpaquePointer?
    try check(mdb_env_create(&created), "Cannot make \(path)")
    guard let environment = created else {
      throw StorageFailure(code: ENOMEM, action: "Cannot make \(path)")
    }
    self.environment = environment
    self.file = file
    do {
      try check(mdb_env_set_maxdbs(environment, MDB_dbi(LogDatabase.allCases.count)), "maxdbs")
      let mapByteCount = 2 * (try file.byteCount + Self.maxByteCount)
      try check(mdb_env_set_mapsize(environment, mapByteCount), "mapsize")
      let flags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC
      try check(mdb_env_open(environment, path, UInt32(flags), 0o600), "Cannot make \(path)")
    } catch {
      mdb_env_close(environment)
      throw error
    }
  }

  private mutating func close() {
    if let transaction { mdb_txn_abort(transaction) }
    mdb_env_close(environment)
  }

  private mutating func add(_ tree: Tree, as database: LogDatabase) throws {
    var handle: MDB_dbi = 0
    try begin()
    try check(
      mdb_dbi_open(transaction, database.rawValue, UInt32(MDB_CREATE), &handle),
      "Cannot copy the database \(database.rawValue)")
    var lastPosition: UInt64 = 0
    try tree.checkAll { cell throws(LogError) in
      if database == .events {
        lastPosition += 1
        guard cell.keyByteCount == 8,
          UInt64(bigEndian: cell.key.loadUnaligned(as: UInt64.self)) == lastPosition
        else { throw .corrupt("the event at position \(lastPosition) is missing") }
      }
      do {
        try put(cell.key, cell.value(tree.map), handle)
      } catch {
        throw (error as? StorageFailure)?.logError ?? .corrupt("\(error)")
      }
    }
  }

  private mutating func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ database: MDB_dbi
  ) throws {
    if byteCount >= Self.maxByteCount {
      try commit()
      try begin()
    }
    byteCount += key.count + value.count
    var key = MDB_val(mv_size: key.count, mv_data: .init(mutating: key.baseAddress))
    var value = MDB_val(mv_size: value.count, mv_data: .init(mutating: value.baseAddress))
    try check(
      mdb_put(transaction, database, &key, &value, UInt32(MDB_APPEND)), "Cannot copy the log")
  }

  private mutating func begin() throws {
    guard transaction == nil else { return }
    byteCount = 0
    try check(mdb_txn_begin(environment, nil, 0, &transaction), "Cannot copy the log")
  }

  private mutating func commit() throws {
    let committing = transaction
    transaction = nil
    let code = mdb_txn_commit(committing)
    try check(code == EIO ? file.codeOfShortWrite() : code, "Cannot copy the log")
  }
}
