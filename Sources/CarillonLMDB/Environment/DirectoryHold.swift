internal import CarillonModel
internal import Foundation

/// A lock on a log's directory: everybody who has the log open shares it, who rewrites its data
/// file has it alone.
///
/// LMDB's own locks do not tell an opener that waits for them that the file was replaced meanwhile.
/// The lock goes with the process, however that ends.
final class DirectoryHold: Sendable {
  private let descriptor: Int32

  /// Waits for a rewriting to end, and keeps others from it.
  static func shared(_ directory: String) throws -> DirectoryHold {
    let hold = try DirectoryHold(directory)
    while flock(hold.descriptor, LOCK_SH) != 0 {
      if errno == EINTR { continue }
      // A file system without such locks: there the exclusive one is refused too.
      if errno == ENOTSUP || errno == ENOLCK { break }
      throw StorageFailure(code: errno, action: "Cannot lock \(directory)")
    }
    return hold
  }

  /// Nobody else has the log open, in this process or another.
  ///
  /// - Throws: `busy` where somebody has.
  static func exclusive(_ directory: String) throws -> DirectoryHold {
    let hold = try DirectoryHold(directory)
    while flock(hold.descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else {
        throw StorageFailure(code: errno, action: "Cannot lock \(directory)")
      }
      throw LogError(
        code: .busy,
        message: "The log in \(directory) is open, here or in another process. Close it there "
          + "and try again.")
    }
    return hold
  }

  private init(_ directory: String) throws(StorageFailure) {
    descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StorageFailure(code: errno, action: "Cannot open \(directory)")
    }
  }

  deinit {
    close(descriptor)
  }
}
