package import CarillonModel
internal import Foundation
internal import Synchronization

/// The identity of a log's files when the log was opened, used to detect that they were replaced.
///
/// Writers find each other through files next to the log. If one is removed, the next process
/// creates another one, and the two processes no longer know of each other. If the log itself is
/// replaced, commits go to a file that no other process reads, and reads return what no other
/// process sees. In all cases an error must be thrown before anything is acknowledged or returned.
package final class FilesInPlace: Sendable {
  /// The directory; a new log's directory is renamed when the log is complete.
  private let current: Mutex<String>
  private let files: [(name: String, key: FileKey)]

  /// Reads the identity of files in a directory.
  ///
  /// - Parameter optional: The files that may be missing.
  package init(
    directory: String, names: [String], optional: Set<String> = []
  ) throws(LogError) {
    current = Mutex(directory)
    var files: [(String, FileKey)] = []
    for name in names {
      let path = directory + "/" + name
      if let key = try FileKey(of: path) {
        files.append((name, key))
      } else if !optional.contains(name) {
        throw Self.replaced(path)
      }
    }
    self.files = files
  }

  /// The directory that holds the files.
  package var directory: String { current.withLock { $0 } }

  /// Checks that the paths still lead to the files that were opened.
  ///
  /// - Throws: `io`, naming the file.
  package func check() throws(LogError) {
    let directory = directory
    for file in files {
      let path = directory + "/" + file.name
      guard try FileKey(of: path) == file.key else { throw Self.replaced(path) }
    }
  }

  /// Renames the directory.
  package func move(to directory: String) throws(LogError) {
    try current.withLock { current throws(LogError) in
      guard rename(current, directory) == 0 else {
        throw LogError.refused(errno, "cannot rename \(current) to \(directory)")
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
  package static func requireOneName(_ names: [String], in directory: String) throws(LogError) {
    for name in names {
      let path = directory + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { continue }
        throw LogError.refused(errno, "cannot read the status of \(path)")
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

  package static func replaced(_ path: String) -> LogError {
    LogError(
      code: .io,
      message: "\(path) was removed or replaced while the log was open; nothing was written",
      reason: .replacedFiles,
      hint: "put the store back at its path, or end every process that uses it and start it again")
  }
}
