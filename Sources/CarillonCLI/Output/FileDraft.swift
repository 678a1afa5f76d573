import Foundation

/// A file that is written under a temporary name, and gets its own name once it is complete.
///
/// A reader sees either the old state or all of the new contents, even after a kill or a power cut.
/// Only the owner can read the file. A draft that is not published is removed.
struct FileDraft: ~Copyable {
  /// Where the contents are written.
  let temporary: String
  /// The descriptor of the temporary file, open for writing.
  let descriptor: Int32
  private let path: String
  private let failure: @Sendable (Int32) -> CommandFailure

  /// Creates the temporary file, which must not exist.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - temporary: A path in the same directory.
  ///   - failure: Returns the error for an `errno`.
  init(
    of path: String, as temporary: String, failure: @escaping @Sendable (Int32) -> CommandFailure
  ) throws(CommandFailure) {
    let opened = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    // The initializer ends without a value, so nothing is removed: another process has the name.
    guard opened >= 0 else { throw failure(errno) }
    // The umask may have taken away the owner's own access.
    _ = fchmod(opened, 0o600)
    self.path = path
    self.temporary = temporary
    self.failure = failure
    descriptor = opened
  }

  deinit {
    close(descriptor)
    unlink(temporary)
  }

  /// Makes the contents durable, and gives the file its name.
  ///
  /// - Parameter isReplacing: Whether an existing file of that name is replaced. Otherwise it is an
  ///   error, `EEXIST`.
  consuming func publish(replacing isReplacing: Bool) throws(CommandFailure) {
    // File systems that cannot sync return EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(errno) }
    // Unlike a rename, a link never replaces a file. Some file systems have no links.
    let isNamed =
      isReplacing
      ? rename(temporary, path) == 0
      : link(temporary, path) == 0
        || [EPERM, EOPNOTSUPP].contains(errno) && rename(temporary, path) == 0
    guard isNamed else { throw failure(errno) }
    let directory = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard directory >= 0 else { throw failure(errno) }
    defer { close(directory) }
    guard fsync(directory) == 0 || errno == EINVAL else { throw failure(errno) }
  }
}
