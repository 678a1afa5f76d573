internal import CLMDB
internal import CarillonLog
internal import CarillonModel
internal import Foundation

/// A failed call of LMDB or the operating system: its code and the attempted action.
///
/// Used inside the module only; callers of the port receive ``LogError``.
struct StorageFailure: Error {
  /// An LMDB code (negative) or an errno (positive).
  let code: Int32
  let action: String
  /// The number of bytes of the file that were to be mapped.
  var mapByteCount: Int?

  /// Whether the transaction must be repeated in a larger map.
  var isMapFull: Bool { code == MDB_MAP_FULL }
  /// Whether another process has grown the map.
  var isMapResized: Bool { code == MDB_MAP_RESIZED }

  /// The error that the caller of the port receives.
  var logError: LogError {
    if let shortage = addressSpaceShortage { return shortage }
    let reason = String(cString: mdb_strerror(code))
    let next = code == MDB_PANIC ? "; the log must be closed and opened again" : ""
    return LogError(code: kind, message: "\(action): \(reason)\(next)", cause: self)
  }

  private var kind: LogError.Code {
    switch code {
    // MDB_MAP_FULL at the options' limit; MDB_TXN_FULL is a transaction over 512 MB.
    case MDB_MAP_FULL, MDB_TXN_FULL: .full
    case MDB_READERS_FULL, MDB_MAP_RESIZED: .busy
    // Structure that LMDB did not write.
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_INCOMPATIBLE, MDB_CURSOR_FULL,
      MDB_PAGE_FULL, MDB_BAD_DBI, MDB_NOTFOUND, MDB_KEYEXIST, MDB_BAD_VALSIZE:
      .corrupt
    case MDB_VERSION_MISMATCH: .unsupportedFormat
    default: LogError.Code(errno: code)
    }
  }
}

extension StorageFailure {
  /// The error if the log cannot be mapped because of this process's limit on address space.
  private var addressSpaceShortage: LogError? {
    guard code == ENOMEM, let mapByteCount else { return nil }
    var limits = rlimit()
    guard getrlimit(Self.addressSpace, &limits) == 0, limits.rlim_cur < UInt64(Int64.max) else {
      return nil
    }
    return LogError(
      code: .io,
      message: "the log needs \(mapByteCount) bytes of address space for its map, and this process "
        + "is limited to \(limits.rlim_cur) bytes in total (ulimit -v)",
      reason: .addressSpace)
  }

  #if canImport(Darwin)
  private static let addressSpace = RLIMIT_AS
  #else
  private static let addressSpace = __rlimit_resource_t(RLIMIT_AS.rawValue)
  #endif
}

extension LogError {
  /// The used and the free pages contradict each other, so a commit would destroy events.
  static func wrongPages(_ problem: String) -> LogError {
    LogError(
      code: .corrupt,
      message: "the log can be read but not written: \(problem)",
      reason: .needsCompacting(problem: problem))
  }

  static func freePageInUse(_ page: UInt64) -> LogError {
    .wrongPages("page \(page) is in use but listed as free")
  }

  /// LMDB cannot distinguish this process from another one.
  static var sameProcessID: LogError {
    LogError(
      code: .busy,
      message: "another process with the same process ID, \(getpid()), has the log open; "
        + "containers that share a store need one process ID namespace",
      reason: .sharedProcessID)
  }

  /// Returns the port's error for any error that was thrown inside this module.
  static func translating(_ error: any Error) -> any Error {
    (error as? StorageFailure)?.logError ?? wrapping(error)
  }
}

/// Throws an error unless the code of an LMDB call that maps a file is 0.
func check(
  _ code: Int32, mapping byteCount: Int, _ action: @autoclosure () -> String
) throws(StorageFailure) {
  guard code == 0 else {
    throw StorageFailure(code: code, action: action(), mapByteCount: byteCount)
  }
}

/// Throws an error unless the code of an LMDB call is 0.
func check(_ code: Int32, _ action: @autoclosure () -> String) throws(StorageFailure) {
  guard code == 0 else { throw StorageFailure(code: code, action: action()) }
}

extension Error {
  /// Whether LMDB must adopt the map size of another process.
  var isMapResized: Bool { (self as? StorageFailure)?.isMapResized ?? false }
  /// Whether LMDB needs a larger map.
  var isMapFull: Bool { (self as? StorageFailure)?.isMapFull ?? false }
}
