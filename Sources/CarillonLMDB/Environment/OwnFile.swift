internal import CarillonModel
internal import Foundation

/// Checks whether Carillon created a file at one of the log's paths, before it is removed or
/// overwritten.
enum OwnFile {
  /// What a file is, judged by its contents.
  private enum Kind {
    case missing, own, foreign
  }

  /// Removes a file that a killed process left at a path.
  ///
  /// - Throws: `alreadyExists`, naming a file that Carillon did not create and leaving it
  ///   unchanged; ``StorageFailure``.
  static func remove(_ path: String) throws {
    try require(at: path)
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw StorageFailure(code: errno, action: "cannot remove \(path)")
  }

  /// Removes a file that a killed process left at a path, and leaves foreign files unchanged.
  static func removeIfOwn(_ path: String) {
    if kind(of: path) == .own { unlink(path) }
  }

  /// - Throws: `alreadyExists` if a file that Carillon did not create is at the path.
  static func require(at path: String) throws(LogError) {
    guard kind(of: path) != .foreign else { throw foreign(path) }
  }

  /// The error for a file in the log's place that Carillon did not create.
  static func foreign(_ path: String, code: LogError.Code = .alreadyExists) -> LogError {
    LogError(
      code: code, message: "\(path) was not created by Carillon and is left unchanged",
      reason: .foreignFile(path: path))
  }

  /// Determines the kind of a file.
  ///
  /// A file of a log is empty, starts like LMDB's data files, or contains zeros where a power loss
  /// removed what was written.
  private static func kind(of path: String) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT ? .missing : .foreign }
    guard status.st_mode & S_IFMT == S_IFREG else { return .foreign }
    if path.hasSuffix("/" + LogFormat.lockFileName) {
      // Not opened, because closing it would release this process's locks on it.
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
