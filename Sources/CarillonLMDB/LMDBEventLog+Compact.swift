internal import CarillonLog
internal import CarillonModel
package import Foundation

extension LMDBEventLog {
  /// Rewrites the data file of a log that no process has open, without erased payloads and free
  /// pages.
  ///
  /// The new file replaces the old one in one step. If the process is killed at any moment, one of
  /// the two is complete and in place. Events, positions and identity do not change.
  ///
  /// - Returns: The size of the file in bytes, before and after.
  /// - Throws: `notFound`; `busy` if this process or another one does not close the log in time;
  ///   `alreadyExists` if a foreign file has the new file's name; `readOnly`, `full`, `corrupt`,
  ///   `io`.
  /// - Complexity: O(bytes). Memory use is constant; the disk holds both files for a while.
  @discardableResult
  package static func compact(
    at directory: URL, options: LMDBLogOptions = LMDBLogOptions()
  ) throws -> (before: Int, after: Int) {
    try wrapping {
      try LogEnvironment.compact(
        directory: path(LogFormat.directoryName, in: directory), options: options)
    }
  }
}

extension LogEnvironment {
  /// Copies the entries in use into a new file, and replaces the old file with it.
  static func compact(
    directory: String, options: LMDBLogOptions
  ) throws -> (before: Int, after: Int) {
    let path = directory + "/" + LogFormat.dataFileName
    try requireFile(path, of: directory)
    let hold = try LogHold.take(path, .exclusive, within: options.busyTimeout)
    return try withExtendedLifetime(hold) {
      try FilesInPlace.requireOneName(LogFormat.sharedFileNames, in: directory)
      let before = try hold.byteCount
      let copy = directory + "/" + LogFormat.compactedFileName
      try OwnFile.remove(copy)
      do {
        let after = try writeCompacted(directory, hold, to: copy, options)
        try replace(path, by: copy, in: directory)
        return (before, after)
      } catch {
        // Nothing refers to the copy. If it cannot be removed, the next compaction overwrites it.
        unlink(copy)
        throw error
      }
    }
  }

  /// - Returns: The size of the copy in bytes.
  private static func writeCompacted(
    _ directory: String, _ hold: LogHold, to copy: String, _ options: LMDBLogOptions
  ) throws -> Int {
    let environment = try openForCopy(directory: directory, hold: hold, options: options)
    defer { environment.close() }
    let file = Foundation.open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StorageFailure(code: errno, action: "cannot create \(copy)") }
    defer { Foundation.close(file) }
    try environment.read { try CompactedCopy.write($0, of: environment.file, to: copy) }
    let old = try hold.status
    // If root compacts another user's store, that user keeps the ownership.
    guard geteuid() != 0 || fchown(file, old.st_uid, old.st_gid) == 0,
      fchmod(file, old.st_mode & 0o777) == 0, fsync(file) == 0
    else {
      throw StorageFailure(code: errno, action: "cannot sync \(copy)")
    }
    return Int(try FileKey.status(of: file, copy).st_size)
  }

  private static func replace(_ path: String, by copy: String, in directory: String) throws {
    guard rename(copy, path) == 0 else {
      throw StorageFailure(code: errno, action: "cannot replace \(path)")
    }
    try MadeDirectories.sync(directory)
  }
}
