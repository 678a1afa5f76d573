internal import CarillonLog
internal import CarillonModel
internal import Foundation

/// The data file of a log, opened and locked with ``FileLock/use`` before LMDB opens it.
///
/// LMDB's own locks do not reveal to a waiting opener that the file was replaced in the meantime.
final class LogHold: Sendable {
  let path: String
  let descriptor: Int32
  /// False on read-only media and if the file's permissions allow only reading.
  let isWritable: Bool
  /// The identity of the file.
  let key: FileKey

  /// Opens the file and acquires the lock.
  ///
  /// - Parameters:
  ///   - path: The path of the data file.
  ///   - mode: How the log will be used.
  ///   - limit: How long to wait while others use the log in a conflicting mode.
  ///   - creates: Whether to create the file if it is missing.
  /// - Throws: `busy`; `io` if the file has other names; ``StorageFailure``.
  static func take(
    _ path: String, _ mode: FileLock.Mode, within limit: Duration, creates: Bool = false
  ) throws -> LogHold {
    var patience = Patience(limit)
    while true {
      let hold = try LogHold(path, creates: creates)
      guard hold.isWritable || mode == .shared else {
        throw StorageFailure(code: EACCES, action: "cannot write \(path)")
      }
      try FileLock.use.wait(mode, on: hold.descriptor, of: path, &patience)
      // The file may have been replaced or removed before the lock was acquired.
      if try FileKey(of: path) == hold.key { return hold }
    }
  }

  private init(_ path: String, creates: Bool) throws {
    self.path = path
    let flags = O_CLOEXEC | O_NONBLOCK
    var descriptor = open(path, O_RDWR | flags | (creates ? O_CREAT : 0), 0o600)
    isWritable = descriptor >= 0
    if !creates, [EACCES, EPERM, EROFS].contains(errno), !isWritable {
      descriptor = open(path, O_RDONLY | flags)
    }
    guard descriptor >= 0 else { throw StorageFailure(code: errno, action: "cannot open \(path)") }
    self.descriptor = descriptor
    do {
      key = try FileKey(of: descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    // A child process that is just being started shares the descriptor until it runs its own
    // program, so closing alone would leave it the lock.
    FileLock.use.release(on: descriptor)
    close(descriptor)
  }

  /// The size of the file in bytes.
  var byteCount: Int {
    get throws { Int(try FileKey.status(of: descriptor, path).st_size) }
  }

  /// The file's status as the system reports it.
  var status: stat {
    get throws { try FileKey.status(of: descriptor, path) }
  }
}
