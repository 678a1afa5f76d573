internal import CarillonModel
internal import Foundation
internal import Synchronization

/// The log's files as they were when it was opened, to notice when somebody takes them away.
///
/// Writers find each other through LMDB's lock file. Where it is removed, the next process makes
/// another, and the two no longer know of each other; where the data file is replaced, what is
/// written reaches nobody. Either must end in an error before anything is acknowledged.
final class FilesInPlace: Sendable {
  /// A new log's directory takes its name when the log is complete.
  private let current: Mutex<String>
  private let files: [(name: String, key: FileKey)]

  /// Looks at the data file and the lock file of a log's directory; a log that can only be read
  /// may have no lock file.
  init(directory: String, isReadOnly: Bool) throws {
    current = Mutex(directory)
    files = try [LogFormat.dataFileName, LogFormat.lockFileName].compactMap { name in
      let path = directory + "/" + name
      if let key = try FileKey(of: path) { return (name, key) }
      guard isReadOnly, name == LogFormat.lockFileName else { throw Self.replaced(path) }
      return nil
    }
  }

  /// Where the files are.
  var directory: String { current.withLock { $0 } }

  /// Checks that they are still the files that were opened.
  ///
  /// - Throws: `io` naming the file.
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
        throw StorageFailure(code: errno, action: "Cannot rename \(current) to \(directory)")
      }
      current = directory
    }
  }

  /// Checks that each of a log's files has the one name.
  ///
  /// Two directories that lead to one data file would each have a lock file, or projections, of
  /// their own, and writers in one would not know of readers in the other; a compaction would part
  /// them, with one identity for both.
  ///
  /// - Throws: `io` naming the file.
  static func requireOneName(in directory: String) throws {
    for name in [LogFormat.dataFileName, LogFormat.lockFileName] {
      let path = directory + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { continue }
        throw StorageFailure(code: errno, action: "Cannot look at \(path)")
      }
      let kind = status.st_mode & S_IFMT
      guard kind != S_IFREG || status.st_nlink > 1 else { continue }
      throw LogError(
        code: .io,
        message: kind == S_IFLNK
          ? "\(path) is a symbolic link. Put the file itself there; link the store's directory "
            + "instead."
          : kind == S_IFREG
            ? "\(path) has \(status.st_nlink) names, as cp -al makes them. Make a copy with cp -a, "
              + "and remove the linked one."
            : "\(path) is not a file.")
    }
  }

  static func replaced(_ path: String) -> LogError {
    LogError(
      code: .io,
      message: "\(path) was removed or replaced while the log was open. Nothing was written. "
        + "End all processes that use the store and open it again.")
  }
}
