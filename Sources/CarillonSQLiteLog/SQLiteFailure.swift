internal import CarillonLog
internal import CarillonModel
internal import CarillonSQLiteVFS
internal import Foundation
internal import GRDBSQLite

/// A failed call of SQLite, stored as the cause of the error that callers receive.
struct SQLiteFailure: Error {
  /// SQLite's extended result code.
  let code: Int32
}

extension LogError {
  /// Creates an error for a failed call of SQLite.
  ///
  /// - Parameters:
  ///   - connection: The connection of the call; nil if there is none.
  ///   - path: The file.
  static func sqlite(_ code: Int32, on connection: OpaquePointer?, _ path: String) -> LogError {
    let system = connection.map { sqlite3_system_errno($0) } ?? 0
    let kind = kind(of: code, system)
    // If the file is damaged, SQLite's own message is used, not the system's.
    let reason =
      code == SystemFiles.refusedLock
      ? SystemFiles.refusedLockReason
      : system != 0 && code & 0xFF != SQLITE_CORRUPT
        ? String(cString: strerror(system))
        : connection.map { String(cString: sqlite3_errmsg($0)) }
          ?? String(cString: sqlite3_errstr(code))
    let isShort = code & 0xFF == SQLITE_NOMEM
    let subject = kind == .corrupt ? "the log is damaged: \(path)" : "cannot use \(path)"
    return LogError(
      code: kind, message: "\(subject): \(reason)",
      reason: kind == .busy ? .heldFile(path: path) : isShort ? .addressSpace : nil,
      cause: SQLiteFailure(code: code))
  }

  private static func kind(of code: Int32, _ system: Int32) -> Code {
    switch code & 0xFF {
    // SQLITE_PROTOCOL: another process does not finish recovering the journal.
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH: .corrupt
    // A statement that does not match the tables: they are not those of a log.
    case SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_CONSTRAINT: .corrupt
    case SQLITE_IOERR where code == shortRead: .corrupt
    // A quota or a limit on the file's size. SQLite reports any other full disk as full; here it
    // drops errno.
    case SQLITE_IOERR where code == failedWrite && system == 0: .full
    case SQLITE_CANTOPEN where system != 0, SQLITE_IOERR where system != 0: Code(errno: system)
    default: .io
    }
  }

  /// `SQLITE_IOERR_SHORT_READ` and `SQLITE_IOERR_WRITE`, which are macros that Swift does not
  /// import.
  private static let (shortRead, failedWrite) = (SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 3 << 8)
}
