internal import CLMDB
internal import CarillonModel
internal import Foundation

/// LMDB's lock file, which all processes map and write to.
///
/// LMDB makes it as a hole, and a process that writes to a hole on a full disk is ended by the
/// system, as is one that reads what was cut off. So it gets its bytes before LMDB maps it, and its
/// length is looked at before each transaction.
enum LockFile {
  /// Of LMDB's header and one reader.
  private static let headByteCount = 192
  /// Of each further reader.
  private static let readerByteCount = 64

  /// How many bytes LMDB's lock file has.
  private static func byteCount(readers: UInt32) -> Int {
    headByteCount + (Int(readers) - 1) * readerByteCount
  }

  /// Whether a lock file may have so many bytes; it gets them in blocks.
  static func mayHave(byteCount: Int) -> Bool {
    byteCount % 512 == 0 && byteCount <= Self.byteCount(readers: LogEnvironment.maxReaders)
  }

  /// Makes the file where it is missing, and gives it all of its bytes on the disk.
  ///
  /// No environment of this process may have it open: closing a file takes a process' locks on it.
  ///
  /// - Throws: ``StorageFailure``; where the disk is full, LMDB must not map the file.
  static func allocate(in directory: String, readers: UInt32) throws(StorageFailure) {
    let byteCount = byteCount(readers: readers)
    let path = directory + "/" + LogFormat.lockFileName
    var status = stat()
    // Blocks of 512 bytes, whatever the file system's own are.
    if stat(path, &status) == 0, status.st_size >= byteCount,
      Int(status.st_blocks) * 512 >= byteCount
    {
      return
    }
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StorageFailure(code: errno, action: "Cannot open \(path)") }
    defer { close(file) }
    let code = clmdb_allocate(file, Int64(byteCount))
    // Where the system cannot, LMDB makes the file as it does.
    guard code != EOPNOTSUPP, code != ENOSYS else { return }
    try check(code, "Cannot make room for \(path)")
  }

  /// Whether the file backs all that an environment has mapped, if need be by zeros again.
  ///
  /// LMDB clears its places among the readers when it closes.
  static func restoreLength(of handle: EnvironmentHandle, readers: UInt32) -> Bool {
    do {
      try requireLength(of: handle, readers: readers)
    } catch {
      do {
        if let directory = handle.directory { try allocate(in: directory, readers: readers) }
      } catch {
        return false
      }
    }
    return true
  }

  /// Checks that nobody cut the file that an environment has mapped.
  ///
  /// One that is removed stays mapped; writers notice that when they look whether it is in place.
  /// A file that is cut in the midst of a transaction still ends the process.
  ///
  /// - Throws: `io`.
  static func requireLength(of handle: EnvironmentHandle, readers: UInt32) throws(LogError) {
    guard let directory = handle.directory else { return }
    let path = directory + "/" + LogFormat.lockFileName
    var status = stat()
    guard stat(path, &status) == 0, status.st_size < byteCount(readers: readers) else { return }
    throw LogError(
      code: .io,
      message: "\(path) was cut to \(status.st_size) bytes while the log was open. Nothing was "
        + "written. End all processes that use the store and open it again.")
  }
}
