internal import CarillonModel
internal import Foundation

/// The locks on a log's data file: each on one byte, far behind the data.
///
/// A lock belongs to the open file: it keeps two handles of one process apart as well as two
/// processes, and goes when the file is closed, however the process ends. Nobody but the owner can
/// open the file, so nobody else's lock can be in the way.
enum FileLock: Int64 {
  /// Shared by all who have the log open; exclusive for who makes it or rewrites its file.
  case use = 0x4000_0000_0000_0000
  /// Exclusive while LMDB opens its lock file, for which it waits without a limit.
  case opening
  /// Exclusive while a writer waits for ``writing``, so that one who writes all the time cannot
  /// overtake it.
  case turn
  /// Exclusive while a transaction writes: LMDB's own lock is waited for without a limit, and is
  /// free for who holds this one.
  case writing

  /// With whom a lock is compatible.
  enum Mode {
    case shared, exclusive
  }

  /// Takes the lock, or converts it, where that can be done at once.
  func take(_ mode: Mode, on descriptor: Int32) throws(StorageFailure) -> Bool {
    while !set(mode == .shared ? F_RDLCK : F_WRLCK, on: descriptor) {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      // A file system without locks: there the exclusive one is refused.
      case ENOTSUP where mode == .shared, ENOLCK where mode == .shared: return true
      default: throw StorageFailure(code: errno, action: "Cannot lock the log")
      }
    }
    return true
  }

  /// Takes the lock, waiting while another has it.
  ///
  /// - Throws: `busy`, naming who has it.
  func wait(
    _ mode: Mode, on descriptor: Int32, of path: String, _ patience: inout Patience
  ) throws {
    while try !take(mode, on: descriptor) {
      guard patience.wait() else { throw busy(path, patience.limit) }
    }
  }

  /// Gives the lock back.
  func release(on descriptor: Int32) {
    // It fails only where the descriptor is closed, and the lock is gone with it.
    _ = set(F_UNLCK, on: descriptor)
  }

  /// Somebody else has the lock for too long.
  func busy(_ path: String, _ limit: Duration) -> LogError {
    // Who waits for a turn waits for the one who writes.
    let held = self == .turn ? FileLock.writing : self
    return LogError(
      code: .busy,
      message: "\(LockHolder.text(of: held, on: path)) \(purpose) \(path). "
        + (limit > .zero ? "Waited \(limit). " : "")
        + "Let it end, or continue it where it is stopped, and try again.")
  }

  // MARK: -

  private var purpose: String {
    switch self {
    case .use: "uses"
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

  /// `F_OFD_SETLK`, which Swift's Glibc does not show.
  private static var command: Int32 {
    #if canImport(Darwin)
      90
    #else
      37
    #endif
  }
}
