import Foundation

/// Replaces a file atomically, by a ``FileDraft``.
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
    let path = file.path
    let failure = { @Sendable (reason: Int32) in
      CommandFailure.system(
        "\(path) cannot be written", reason, hint: "check the disk, and run the command again")
    }
    var old = stat()
    let isReplaced = stat(path, &old) == 0
    let draft = try FileDraft(of: path, as: temporary, failure: failure)
    let descriptor = draft.descriptor
    var contents = contents
    let problem = contents.withUTF8 { writeWhole(UnsafeRawBufferPointer($0), to: descriptor) }
    guard problem == 0 else { throw failure(problem) }
    if isReplaced {
      guard geteuid() != 0 || fchown(descriptor, old.st_uid, old.st_gid) == 0,
        fchmod(descriptor, old.st_mode & 0o7777) == 0
      else { throw failure(errno) }
    }
    try draft.publish(replacing: true)
  }
}
