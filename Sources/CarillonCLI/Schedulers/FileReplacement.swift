import Foundation

/// Replaces a file atomically: a reader sees either the old or the new contents, even after a kill
/// or a power cut.
///
/// The new contents are written to a temporary file in the same directory, always with the same
/// name. The caller must hold the directory's lock, and first remove what a killed run left behind.
struct FileReplacement {
  private let file: URL
  private let temporary: String

  init(of file: URL) {
    self.file = file
    temporary = file.deletingLastPathComponent().path + "/" + Self.temporaryName
  }

  private static let temporaryName = ".carillon-new"

  /// Removes the temporary file that a killed run left behind, if any.
  func removeLeftover() throws(CommandFailure) {
    var status = stat()
    guard lstat(temporary, &status) == 0, unlink(temporary) != 0, errno != ENOENT else { return }
    throw .system(
      "\(temporary), left behind by a killed run, cannot be removed", errno,
      hint: "remove the file, and run the command again")
  }

  /// Replaces the contents of the file.
  ///
  /// A new file can be read and written only by its owner. A replaced file keeps its mode, and its
  /// owner if root replaces it.
  func write(_ contents: String) throws(CommandFailure) {
    let problem = written(contents)
    guard problem == 0 else {
      unlink(temporary)
      throw .system(
        "\(file.path) cannot be written", problem,
        hint: "check the disk, and run the command again")
    }
  }

  /// Writes the temporary file and renames it.
  ///
  /// - Returns: 0, or the `errno` of a failure.
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

  /// Makes the renaming durable.
  private func syncDirectory() -> Int32 {
    let descriptor = open(file.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    // File systems that cannot sync directories return EINVAL.
    return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
  }
}
