internal import Foundation
internal import GRDB
internal import GRDBSQLite

extension ProjectionError {
  /// Names a result code of SQLite.
  init(resultCode: Int32, _ message: String, cause: (any Error)? = nil) {
    self.init(code: Self.code(of: resultCode), message: "projections: \(message)", cause: cause)
  }

  /// What a connection last said.
  init(connection: OpaquePointer) {
    self.init(
      resultCode: sqlite3_errcode(connection), String(cString: sqlite3_errmsg(connection)))
  }

  /// The kind of an `errno`.
  init(errno number: Int32, _ action: String) {
    let code: Code =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EROFS, EACCES, EPERM: .readOnly
      default: .io
      }
    self.init(code: code, message: "\(action): \(String(cString: strerror(number)))")
  }

  /// Runs a body and turns SQLite's errors into this module's; others pass as they are.
  static func translating<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw ProjectionError(
        resultCode: error.resultCode.rawValue, error.message ?? "SQLite refused", cause: error)
    }
  }

  private static func code(of resultCode: Int32) -> Code {
    switch resultCode & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG: .damaged
    // A table or column is missing: the schema is not what this version makes.
    case SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_CONSTRAINT: .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
    case SQLITE_INTERRUPT, SQLITE_ABORT: .cancelled
    case SQLITE_MISUSE: .closed
    default: .io
    }
  }
}
