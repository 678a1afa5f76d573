internal import CarillonModel
public import Foundation

extension LMDBEventLog {
  /// Rewrites the data file of a log that nobody has open, entry by entry: what was erased is then
  /// nowhere in it, and what is free in it is counted anew.
  ///
  /// The new file takes the old one's place in one step; killed at any moment, one of the two is
  /// there whole. Events, positions and identity stay.
  ///
  /// - Returns: The file's bytes before and after.
  /// - Throws: `notFound`; `busy` where the log is open, here or elsewhere; `alreadyExists` where a
  ///   foreign file has the new file's name; `readOnly`, `full`, `corrupt`, `io`.
  /// - Complexity: O(bytes). Memory is flat; the disk holds both files for a while.
  @discardableResult
  public static func compact(
    at directory: URL, options: LMDBLogOptions = LMDBLogOptions()
  ) throws -> (before: Int, after: Int) {
    try wrapping {
      try LogEnvironment.compact(
        directory: path(LogFormat.directoryName, in: directory), options: options)
    }
  }
}

extension LogEnvironment {
  /// Copies what is in use into a new file and puts that in the old one's place.
  static func compact(
    directory: String, options: LMDBLogOptions
  ) throws -> (before: Int, after: Int) {
    let path = directory + "/" + LogFormat.dataFileName
    try requireFile(path, of: directory)
    let hold = try LogHold.take(path, .exclusive, within: .zero)
    return try withExtendedLifetime(hold) {
      try FilesInPlace.requireOneName(in: directory)
      let before = try hold.byteCount
      let copy = directory + "/" + LogFormat.compactedFileName
      try OwnFile.remove(copy)
      do {
        let after = try writeCompacted(directory, hold, to: copy, options)
        try replace(path, by: copy, in: directory)
        return (before, after)
      } catch {
        // Nothing refers to it; where it cannot be removed, the next compaction overwrites it.
        unlink(copy)
        throw error
      }
    }
  }

  /// - Returns: The copy's length.
  private static func writeCompacted(
    _ directory: String, _ hold: LogHold, to copy: String, _ options: LMDBLogOptions
  ) throws -> Int {
    let environment = try openForCopy(directory: directory, hold: hold, options: options)
    defer { environment.close() }
    let file = Foundation.open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StorageFailure(code: errno, action: "Cannot make \(copy)") }
    defer { Foundation.close(file) }
    try environment.read { try CompactedCopy.write($0, of: environment.file, to: copy) }
    let old = try hold.status
    // Root compacts somebody's store, and it stays theirs.
    guard geteuid() != 0 || fchown(file, old.st_uid, old.st_gid) == 0,
      fchmod(file, old.st_mode & 0o777) == 0, fsync(file) == 0
    else {
      throw StorageFailure(code: errno, action: "Cannot sync \(copy)")
    }
    return Int(try FileKey.status(of: file, copy).st_size)
  }

  private static func replace(_ path: String, by copy: String, in directory: String) throws {
    guard rename(copy, path) == 0 else {
      throw StorageFailure(code: errno, action: "Cannot replace \(path)")
    }
    try LMDBEventLog.syncDirectory(directory)
  }
}
