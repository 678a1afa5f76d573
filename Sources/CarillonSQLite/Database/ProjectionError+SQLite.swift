internal import CarillonModel
internal import CarillonSQLiteVFS
internal import Foundation
internal import GRDBSQLite

extension ProjectionError {
  /// Creates an error from a result code of SQLite.
  init(resultCode: Int32, _ message: String, cause: (any Error)? = nil) {
    self.init(
      code: Self.code(of: resultCode), message: "projections: \(message)",
      reason: resultCode & 0xFF == SQLITE_NOMEM ? .addressSpace : nil, cause: cause)
  }

  /// Creates an error from a connection's last error, with the file's path if it concerns the file
  /// itself.
  package init(connection: OpaquePointer) {
    let code = sqlite3_extended_errcode(connection)
    let file = sqlite3_db_filename(connection, "main").map { String(cString: $0) } ?? ""
    let number = sqlite3_system_errno(connection)
    if code == ChecksummedFiles.mismatch {
      self.init(code: .damaged, message: "\(file): a page does not match its checksum")
    } else if Self.code(of: code) == .busy {
      self.init(
        code: .busy, message: "\(file): another process holds it", reason: .heldFile(path: file))
    } else if code == SystemFiles.refusedLock {
      self.init(code: .io, message: "\(file): \(SystemFiles.refusedLockReason)")
    } else if Self.code(of: code) == .full {
      self.init(errno: ENOSPC, file)
    } else if Self.code(of: code) == .io, Self.tellingNumbers.contains(number) {
      self.init(errno: number, file)
    } else {
      self.init(resultCode: code, String(cString: sqlite3_errmsg(connection)))
    }
  }

  /// Errors of the system that are more specific than SQLite's "disk I/O error" and "cannot open".
  private static let tellingNumbers = [
    ENOSPC, EDQUOT, EACCES, EROFS, EPERM, EMFILE, ENFILE, EIO,
  ]

  /// Creates an error from an `errno`.
  init(errno number: Int32, _ action: String) {
    let code: Code =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EROFS, EACCES, EPERM: .readOnly
      default: .io
      }
    self.init(code: code, message: "\(action): \(String(cString: strerror(number)))")
  }

  private static func code(of resultCode: Int32) -> Code {
    switch resultCode & 0xFF {
    case _ where resultCode == ChecksummedFiles.mismatch: .damaged
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG: .damaged
    // A table or column is missing, so the schema is not the one of this version.
    case SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_CONSTRAINT: .damaged
    // SQLITE_PROTOCOL: another process does not finish recovering the write-ahead log.
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
    case SQLITE_INTERRUPT, SQLITE_ABORT: .cancelled
    case SQLITE_MISUSE: .closed
    default: .io
    }
  }
}
