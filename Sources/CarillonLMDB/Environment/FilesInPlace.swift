internal import CarillonModel
internal import Foundation

/// The log's files as they were when it was opened, to notice when somebody takes them away.
///
/// Writers find each other through LMDB's lock file. Where it is removed, the next process makes
/// another, and the two no longer know of each other; where the data file is replaced, what is
/// written reaches nobody. Either must end in an error before anything is acknowledged.
struct FilesInPlace: Sendable {
  private let files: [(path: String, key: FileKey)]

  /// Looks at the data file and the lock file of a log's directory.
  init(directory: String) throws {
    files = try [LogFormat.dataFileName, LogFormat.lockFileName].map { name in
      let path = directory + "/" + name
      guard let key = try Self.key(of: path) else { throw Self.replaced(path) }
      return (path, key)
    }
  }

  /// Checks that both are still the files that were opened.
  ///
  /// - Throws: `io` naming the file.
  func check() throws {
    for file in files where try Self.key(of: file.path) != file.key {
      throw Self.replaced(file.path)
    }
  }

  /// Nil where there is no file.
  private static func key(of path: String) throws -> FileKey? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else {
        throw StorageFailure(code: errno, action: "Cannot look at \(path)")
      }
      return nil
    }
    return FileKey(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  static func replaced(_ path: String) -> LogError {
    LogError(
      code: .io,
      message: "\(path) was removed or replaced while the log was open. Nothing was written. "
        + "End all processes that use the store and open it again.")
  }
}
