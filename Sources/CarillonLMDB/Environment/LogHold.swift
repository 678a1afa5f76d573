internal import CarillonModel
internal import Foundation

/// The data file of a log, opened before LMDB opens it, under ``FileLock/use``.
///
/// LMDB's own locks do not tell an opener that waits for them that the file was replaced meanwhile.
final class LogHold: Sendable {
  let path: String
  let descriptor: Int32
  /// False on read-only media, and where the file may only be read.
  let isWritable: Bool
  /// Which file it is.
  let key: FileKey

  /// Opens the file under the lock.
  ///
  /// - Parameters:
  ///   - path: The data file's.
  ///   - mode: How the log will be used.
  ///   - limit: How long to wait while others use it otherwise.
  ///   - creates: Makes the file where it is missing.
  /// - Throws: `busy`; `io` where the file has other names; ``StorageFailure``.
  static func take(
    _ path: String, _ mode: FileLock.Mode, within limit: Duration, creates: Bool = false
  ) throws -> LogHold {
    var patience = Patience(limit)
    while true {
      let hold = try LogHold(path, creates: creates)
      guard hold.isWritable || mode == .shared else {
        throw StorageFailure(code: EACCES, action: "Cannot write \(path)")
      }
      try FileLock.use.wait(mode, on: hold.descriptor, of: path, &patience)
      // It may have been replaced or removed before the lock was there.
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
    guard descriptor >= 0 else { throw StorageFailure(code: errno, action: "Cannot open \(path)") }
    self.descriptor = descriptor
    do {
      key = try FileKey(of: descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    // A program that is just being started has the file too, until it takes our place: closing
    // alone would leave it the lock.
    FileLock.use.release(on: descriptor)
    close(descriptor)
  }

  /// The file's length.
  var byteCount: Int {
    get throws { Int(try FileKey.status(of: descriptor, path).st_size) }
  }

  /// What the system says of the file.
  var status: stat {
    get throws { try FileKey.status(of: descriptor, path) }
  }
}

/// What tells one file from all others that are there.
struct FileKey: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// Of an open file.
  init(of descriptor: Int32, _ path: String) throws(StorageFailure) {
    self.init(try Self.status(of: descriptor, path))
  }

  /// Of the file at a path, through links; nil where there is none.
  init?(of path: String) throws(StorageFailure) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw StorageFailure(code: errno, action: "Cannot look at \(path)")
    }
    self.init(status)
  }

  static func status(of descriptor: Int32, _ path: String) throws(StorageFailure) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StorageFailure(code: errno, action: "Cannot look at \(path)")
    }
    return status
  }
}
