internal import CarillonModel
internal import Foundation
internal import Synchronization

/// The identity of the log's files when the log was opened, used to detect that they were replaced.
///
/// Writers find each other through LMDB's lock file. If it is removed, the next process creates
/// another one, and the two processes no longer know of each other. If the data file is replaced,
/// commits go to a file that no other process reads. In both cases an error must be thrown before
/// anything is acknowledged.
final class FilesInPlace: Sendable {
  /// The directory; a new log's directory is renamed when the log is complete.
  private let current: Mutex<String>
  private let files: [(name: String, key: FileKey)]

  /// Reads the identity of the data file and the lock file in a log's directory.
  ///
  /// A read-only log may lack the lock file.
  init(directory: String, isReadOnly: Bool) throws {
    current = Mutex(directory)
    files = try [LogFormat.dataFileName, LogFormat.lockFileName].compactMap { name in
      let path = directory + "/" + name
      if let key = try FileKey(of: path) { return (name, key) }
      guard isReadOnly, name == LogFormat.lockFileName else { throw Self.replaced(path) }
      return nil
    }
  }

  /// The directory that holds the files.
  var directory: String { current.withLock { $0 } }

  /// Checks that the paths still lead to the files that were opened.
  ///
  /// - Throws: `io`, naming the file.
  func check() throws {
    let directory = directory
    for file in files {
      let path = directory + "/" + file.name
      guard try FileKey(of: path) == file.key else { throw Self.replaced(path) }
    }
  }

  /// Renames the directory.
  func move(to directory: String) throws(StorageFailure) {
    try current.withLock { current throws(StorageFailure) in
      guard rename(current, directory) == 0 else {
        throw StorageFailure(code: errno, action: "cannot rename \(current) to \(directory)")
      }
      current = directory
    }
  }

  /// Checks that each of a log's files has exactly one name.
  ///
  /// If two directories lead to one data file, each has its own lock file or its own projections,
  /// so writers in one do not know of readers in the other. A compaction would then separate the
  /// two files and leave both with one identity.
  ///
  /// - Throws: `io`, naming the file.
  static func requireOneName(in directory: String) throws {
    for name in [LogFormat.dataFileName, LogFormat.lockFileName] {
      let path = directory + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { continue }
        throw StorageFailure(code: errno, action: "cannot read the status of \(path)")
      }
      let kind = status.st_mode & S_IFMT
      guard kind != S_IFREG || status.st_nlink > 1 else { continue }
      throw LogError(
        code: .io,
        message: kind == S_IFLNK
          ? "\(path) is a symbolic link; link the store's directory instead of the file"
          : kind == S_IFREG
            ? "\(path) has \(status.st_nlink) names (as after cp -al); copy the store with cp -a "
              + "instead"
            : "\(path) is not a regular file")
    }
  }

  static func replaced(_ path: String) -> LogError {
    LogError(
      code: .io,
      message: "\(path) was removed or replaced while the log was open; nothing was written, "
        + "and every process that uses the store must end before it is opened again")
  }
}
