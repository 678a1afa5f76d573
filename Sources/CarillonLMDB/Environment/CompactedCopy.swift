internal import CLMDB
internal import CarillonLog
internal import CarillonModel
internal import Foundation

/// Writes the entries of a snapshot to a new data file.
///
/// LMDB's own copy relies on the free list and on the page counts that it keeps for each database.
/// This copy needs neither, so it also works for a log in which they are wrong.
struct CompactedCopy {
  private let environment: OpaquePointer
  /// The file to copy.
  private let file: DataFile
  private var transaction: OpaquePointer?
  /// The number of bytes written by the current transaction.
  private var byteCount = 0

  /// The number of bytes that one transaction writes; it holds the same amount in memory.
  private static let maxByteCount = 16 << 20

  /// Writes the entries of a snapshot to an empty file.
  ///
  /// The caller synchronizes the file.
  ///
  /// - Throws: `corrupt` if an entry cannot be read or an event is missing; ``StorageFailure``.
  static func write(_ snapshot: PageSnapshot, of file: DataFile, to path: String) throws {
    var copy = try CompactedCopy(path, of: file)
    defer { copy.close() }
    for database in LogDatabase.allCases { try copy.add(snapshot.tree(database), as: database) }
    try copy.commit()
  }

  private init(_ path: String, of file: DataFile) throws {
    var created: OpaquePointer?
    try check(mdb_env_create(&created), "cannot create \(path)")
    guard let environment = created else {
      throw StorageFailure(code: ENOMEM, action: "cannot create \(path)")
    }
    self.environment = environment
    self.file = file
    do {
      try check(mdb_env_set_maxdbs(environment, MDB_dbi(LogDatabase.allCases.count)), "maxdbs")
      let mapByteCount = 2 * (try file.byteCount + Self.maxByteCount)
      try check(mdb_env_set_mapsize(environment, mapByteCount), "mapsize")
      let flags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC
      try check(mdb_env_open(environment, path, UInt32(flags), 0o600), "cannot create \(path)")
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
      "cannot copy the database \(database.rawValue)")
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
      mdb_put(transaction, database, &key, &value, UInt32(MDB_APPEND)), "cannot copy the log")
  }

  private mutating func begin() throws {
    guard transaction == nil else { return }
    byteCount = 0
    try check(mdb_txn_begin(environment, nil, 0, &transaction), "cannot copy the log")
  }

  private mutating func commit() throws {
    let committing = transaction
    transaction = nil
    let code = mdb_txn_commit(committing)
    try check(code == EIO ? file.codeOfShortWrite() : code, "cannot copy the log")
  }
}
