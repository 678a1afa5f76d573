internal import CLMDB
internal import CarillonModel
internal import Foundation

/// LMDB's lock file, which every process maps and writes to.
///
/// LMDB creates it as a sparse file. The system kills a process that writes to a hole while the
/// disk is full, and a process that reads mapped memory beyond the end of the file. The file's
/// bytes are therefore allocated before LMDB maps it, and its length is checked before each
/// transaction.
enum LockFile {
  /// The size of LMDB's header and the first reader's entry.
  private static let headByteCount = 192
  /// The size of each further reader's entry.
  private static let readerByteCount = 64

  /// The size of LMDB's lock file for a number of readers.
  private static func byteCount(readers: UInt32) -> Int {
    headByteCount + (Int(readers) - 1) * readerByteCount
  }

  /// Whether a lock file can have this size.
  ///
  /// It is allocated in blocks of 512 bytes.
  static func mayHave(byteCount: Int) -> Bool {
    byteCount % 512 == 0 && byteCount <= Self.byteCount(readers: LogEnvironment.maxReaders)
  }

  /// Creates the file if it is missing, and allocates all of its bytes on disk.
  ///
  /// No environment of this process may have the file open, because closing a file releases the
  /// process's locks on it.
  ///
  /// - Throws: ``StorageFailure``. If the disk is full, LMDB must not map the file.
  static func allocate(in directory: String, readers: UInt32) throws(StorageFailure) {
    let byteCount = byteCount(readers: readers)
    let path = directory + "/" + LogFormat.lockFileName
    var status = stat()
    // `st_blocks` counts blocks of 512 bytes, independent of the file system's block size.
    if stat(path, &status) == 0, status.st_size >= byteCount,
      Int(status.st_blocks) * 512 >= byteCount
    {
      return
    }
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StorageFailure(code: errno, action: "cannot open \(path)") }
    defer { close(file) }
    let code = clmdb_allocate(file, Int64(byteCount))
    // If the system cannot allocate, LMDB creates the file in its own way.
    guard code != EOPNOTSUPP, code != ENOSYS else { return }
    try check(code, "cannot allocate space for \(path)")
  }

  /// The error for a lock file that may not be written, which readers must do too.
  ///
  /// - Parameter failure: Why the environment cannot be opened.
  static func unwritable(in directory: String, _ failure: StorageFailure) -> LogError {
    LogError(
      code: .readOnly,
      message: "\(directory)/\(LogFormat.lockFileName) must be written, also to read the store: "
        + String(cString: strerror(failure.code)),
      hint: "let this user write that file, or use another replica of the store",
      cause: failure)
  }

  /// Whether the file covers everything that an environment has mapped.
  ///
  /// Missing bytes are allocated again as zeros if possible.
  ///
  /// LMDB clears its entries in the reader table when it closes.
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

  /// Checks that the file that an environment has mapped was not truncated.
  ///
  /// A removed file stays mapped; readers and writers detect its removal when they check that the
  /// files are in place. If the file is truncated during a transaction, the system still kills the
  /// process.
  ///
  /// - Throws: `io`.
  static func requireLength(of handle: EnvironmentHandle, readers: UInt32) throws(LogError) {
    guard let directory = handle.directory else { return }
    let path = directory + "/" + LogFormat.lockFileName
    var status = stat()
    guard stat(path, &status) == 0, status.st_size < byteCount(readers: readers) else { return }
    throw LogError(
      code: .io,
      message: "\(path) was truncated to \(status.st_size) bytes while the log was open; nothing "
        + "was written, and every process that uses the store must end before it is opened again")
  }
}
