internal import CarillonLog
internal import CarillonModel
internal import Foundation

/// The locks on a log's data file.
///
/// Each lock covers one byte, far beyond the end of the data. A lock belongs to the open file
/// description. It therefore separates two handles of one process as well as two processes, and the
/// system releases it when the file is closed, however the process ends. Only the owner can open
/// the file, so other users cannot block it.
enum FileLock: Int64 {
  /// Shared by every process that has the log open; exclusive while the log is created or its file
  /// is rewritten.
  case use = 0x4000_0000_0000_0000
  /// Exclusive while LMDB opens its lock file, because LMDB waits for that file without a time
  /// limit.
  case opening
  /// Exclusive while a writer waits for ``writing``, so that a process that writes continuously
  /// cannot overtake it.
  case turn
  /// Exclusive while a transaction writes. LMDB waits for its own lock without a time limit; that
  /// lock is free for the process that holds this one.
  case writing

  /// Whether other holders of the lock are allowed.
  enum Mode {
    case shared, exclusive
  }

  /// Acquires or converts the lock if that is possible without waiting, and returns whether it did.
  func take(_ mode: Mode, on descriptor: Int32) throws(StorageFailure) -> Bool {
    while !set(mode == .shared ? F_RDLCK : F_WRLCK, on: descriptor) {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      // On a file system without locks, only the exclusive lock is refused.
      case ENOTSUP where mode == .shared, ENOLCK where mode == .shared: return true
      default: throw StorageFailure(code: errno, action: "cannot lock the log")
      }
    }
    return true
  }

  /// Acquires the lock, waiting while another process holds it.
  ///
  /// - Throws: `busy`, naming the holder, if the time limit passes.
  func wait(
    _ mode: Mode, on descriptor: Int32, of path: String, _ patience: inout Patience
  ) throws {
    while try !take(mode, on: descriptor) {
      guard patience.wait() else { throw busy(path, patience.limit) }
    }
  }

  /// Releases the lock.
  func release(on descriptor: Int32) {
    // It fails only if the descriptor is closed, and then the lock is already released.
    _ = set(F_UNLCK, on: descriptor)
  }

  /// The error for a lock that was not released within the limit.
  func busy(_ path: String, _ limit: Duration) -> LogError {
    // A writer that waits for its turn is in fact waiting for the current writer.
    let held = self == .turn ? FileLock.writing : self
    return LogError(
      code: .busy,
      message: "\(LockHolder.text(ofByte: held.rawValue, on: path)) \(purpose) \(path)"
        + (limit > .zero ? "; waited \(limit)" : "")
        // A process may use the log for any time, but it writes for moments only.
        + (limit > .zero && held != .use ? ", the process may be stopped" : ""))
  }

  // MARK: -

  private var purpose: String {
    switch self {
    case .use: "is using"
    case .opening: "is opening"
    case .turn, .writing: "is writing"
    }
  }

  private func set(_ type: some BinaryInteger, on descriptor: Int32) -> Bool {
    var request = flock()
    request.l_type = Int16(type)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = off_t(rawValue)
    request.l_len = 1
    return fcntl(descriptor, Self.command, &request) == 0
  }

  /// `F_OFD_SETLK`, which Swift's Glibc overlay does not export.
  private static var command: Int32 {
    #if canImport(Darwin)
    90
    #else
    37
    #endif
  }
}
