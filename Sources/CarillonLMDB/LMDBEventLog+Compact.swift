internal import CLMDB
internal import CarillonModel
public import Foundation

extension LMDBEventLog {
  /// Rewrites the data file of a log that nobody has open, without free pages: what was erased is
  /// then nowhere in it.
  ///
  /// The new file takes the old one's place in one step; killed at any moment, one of the two is
  /// there whole. Events, positions and identity stay.
  ///
  /// - Returns: The file's bytes before and after.
  /// - Throws: `notFound`; `busy` where the log is open, here or elsewhere; `readOnly`, `full`,
  ///   `corrupt`, `io`.
  /// - Complexity: O(bytes). Memory is flat; the disk holds both files for a while.
  @discardableResult
  public static func compact(
    at directory: URL, options: LMDBLogOptions = LMDBLogOptions()
  ) throws -> (before: Int, after: Int) {
    try wrapping {
      let path = logPath(directory)
      return try LogRegistry.shared.whileUnused {
        try LogEnvironment.compact(directory: path, options: options)
      }
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
    let hold = try DirectoryHold.exclusive(directory)
    return try withExtendedLifetime(hold) {
      let before = try DataFile(path: path).byteCount
      let copy = directory + "/" + LogFormat.compactedFileName
      do {
        try writeCompacted(directory, to: copy, options)
        try replace(path, by: copy, in: directory)
      } catch {
        // Nothing refers to it; where it cannot be removed, the next compaction overwrites it.
        unlink(copy)
        throw error
      }
      return (before, try DataFile(path: path).byteCount)
    }
  }

  private static func writeCompacted(
    _ directory: String, to copy: String, _ options: LMDBLogOptions
  ) throws {
    let environment = try openForCopy(directory: directory, options: options)
    defer { environment.close() }
    // LMDB's copy trusts every page that it meets.
    try environment.read { pages in
      for database in LogDatabase.allCases { try pages.tree(database).checkAll() }
      try pages.freeList.check()
    }
    let file = Foundation.open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StorageFailure(code: errno, action: "Cannot make \(copy)") }
    defer { Foundation.close(file) }
    try environment.copyCompacted(to: file)
    guard fsync(file) == 0 else { throw StorageFailure(code: errno, action: "Cannot sync \(copy)") }
  }

  private static func replace(_ path: String, by copy: String, in directory: String) throws {
    guard rename(copy, path) == 0 else {
      throw StorageFailure(code: errno, action: "Cannot replace \(path)")
    }
    try LMDBEventLog.syncDirectory(directory)
  }
}
