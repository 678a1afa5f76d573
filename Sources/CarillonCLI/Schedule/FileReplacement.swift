import Foundation

/// Replaces a file whole: whoever reads it sees the old contents or the new, also after a kill or a
/// power cut.
///
/// The new contents are written to a file beside it, which has one name in each directory: whoever
/// replaces a file holds the directory's lock, and removes first what a killed run left behind.
struct FileReplacement {
  private let file: URL
  private let temporary: String

  init(of file: URL) {
    self.file = file
    temporary = file.deletingLastPathComponent().path + "/" + Self.temporaryName
  }

  private static let temporaryName = ".carillon-new"

  /// Removes what a killed run left behind.
  func removeLeftover() throws(CommandFailure) {
    var status = stat()
    guard lstat(temporary, &status) == 0, unlink(temporary) != 0, errno != ENOENT else { return }
    throw .system(
      "\(temporary), left behind by a run that was ended, cannot be removed", errno,
      hint: "remove it, and run it again")
  }

  /// Writes the new contents and puts them in place of the old.
  ///
  /// A new file can be read and written by its owner alone. One that is replaced keeps its mode,
  /// and its owner where root replaces it.
  func write(_ contents: String) throws(CommandFailure) {
    let problem = written(contents)
    guard problem == 0 else {
      unlink(temporary)
      throw .system(
        "\(file.path) cannot be written", problem, hint: "check the disk, and run it again")
    }
  }

  /// - Returns: 0, or what `errno` says went wrong.
  private func written(_ contents: String) -> Int32 {
    var old = stat()
    let isReplaced = stat(file.path, &old) == 0
    let mode = isReplaced ? old.st_mode & 0o7777 : 0o600
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = open(temporary, flags, 0o600)
    guard descriptor >= 0 else { return errno }
    var contents = contents
    var problem = contents.withUTF8 { writeWhole(UnsafeRawBufferPointer($0), to: descriptor) }
    if problem == 0, isReplaced, geteuid() == 0,
      fchown(descriptor, old.st_uid, old.st_gid) != 0
    {
      problem = errno
    }
    if problem == 0, fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0 { problem = errno }
    if close(descriptor) != 0, problem == 0 { problem = errno }
    guard problem == 0 else { return problem }
    guard rename(temporary, file.path) == 0 else { return errno }
    return syncDirectory()
  }

  /// Makes the new name outlive a power cut.
  private func syncDirectory() -> Int32 {
    let descriptor = open(file.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    // Some file systems sync no directories, and say so.
    return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
  }
}
