internal import CarillonModel
internal import Foundation

/// A file of a log that is about to be removed or written over.
enum OwnFile {
  /// What a file is by its look.
  private enum Kind {
    case missing, own, foreign
  }

  /// Removes what a killed process left at a path.
  ///
  /// - Throws: `alreadyExists` naming a file that Carillon did not make, which stays as it is;
  ///   ``StorageFailure``.
  static func remove(_ path: String) throws {
    try require(at: path)
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw StorageFailure(code: errno, action: "Cannot remove \(path)")
  }

  /// Removes what a killed process left at a path, and leaves alone what is foreign.
  static func removeIfOwn(_ path: String) {
    if kind(of: path) == .own { unlink(path) }
  }

  /// - Throws: `alreadyExists` where a file that Carillon did not make is at a path.
  static func require(at path: String) throws(LogError) {
    guard kind(of: path) != .foreign else { throw foreign(path) }
  }

  /// Something that Carillon did not make is in its way.
  static func foreign(_ path: String, code: LogError.Code = .alreadyExists) -> LogError {
    LogError(
      code: code, message: "\(path) was not made by Carillon, and is left as it is",
      cause: LogError.Reason.foreignFile(path: path))
  }

  /// A file of a log is empty, begins as LMDB's data files do, or has zeros where a power cut took
  /// what was written.
  private static func kind(of path: String) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT ? .missing : .foreign }
    guard status.st_mode & S_IFMT == S_IFREG else { return .foreign }
    if path.hasSuffix("/" + LogFormat.lockFileName) {
      // Not opened: closing it would take the locks of this process on it.
      return LockFile.mayHave(byteCount: Int(status.st_size)) ? .own : .foreign
    }
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return .foreign }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    guard pread(file, &bytes, bytes.count, 0) >= 0 else { return .foreign }
    let isData = MetaPage(of: file, at: 0)?.isOfLMDB ?? false
    return isData || bytes.allSatisfy { $0 == 0 } ? .own : .foreign
  }
}
