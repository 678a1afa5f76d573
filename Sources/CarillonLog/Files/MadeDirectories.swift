package import CarillonModel
internal import Foundation

/// The directories that were created for a store, and are removed again if the store is not
/// completed.
package struct MadeDirectories: Sendable {
  /// The directory that was asked for, without symbolic links; nil if another process has removed
  /// it since.
  private var target: String?
  /// The directories that were created, the outer ones first.
  private var paths: [String] = []

  package init() {}

  /// Creates a directory for the owner only, and its missing parent directories.
  ///
  /// - Throws: `readOnly`, `full`, `invalidValue` if the path is too long, `io`.
  package mutating func make(_ path: String) throws(LogError) {
    paths += try Self.makeAll(path)
    target = URL(filePath: path).realPath
  }

  /// Syncs the parent directories, so that the directories' names are durable.
  ///
  /// A directory that existed is included, and so are those above it that this user owns: a process
  /// may have created them and been killed before it synced their names.
  package func sync() throws(LogError) {
    guard var path = target else { return }
    var left = paths.count
    while path != "/" {
      path = Self.parent(of: path)
      guard left > 0 || access(path, R_OK) == 0 else { return }
      try Self.sync(path)
      guard Self.isOwn(path) else { return }
      left -= 1
    }
  }

  /// Removes the directories that are empty; other processes may have added files to them.
  package func remove() {
    for path in paths.reversed() { rmdir(path) }
  }

  /// Syncs a directory, so that new names in it are durable.
  package static func sync(_ path: String) throws(LogError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LogError.refused(errno, "cannot open \(path)") }
    defer { close(descriptor) }
    try sync(descriptor, of: path)
  }

  /// Syncs an open file or directory.
  package static func sync(_ descriptor: Int32, of path: String) throws(LogError) {
    while fsync(descriptor) != 0 {
      switch errno {
      case EINTR: continue
      // File systems that cannot sync.
      case EINVAL: return
      case let reason: throw LogError.refused(reason, "cannot sync \(path)")
      }
    }
  }

  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  package static func parent(of path: String) -> String {
    let parent = URL(filePath: path).deletingLastPathComponent().path
    return parent.isEmpty ? "." : parent
  }

  // MARK: -

  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_uid == geteuid()
  }

  /// Creates a directory for the owner only, and its missing parent directories.
  ///
  /// - Returns: The directories that were created, the outer ones first.
  private static func makeAll(_ path: String, attempts: Int = 100) throws(LogError) -> [String] {
    if mkdir(path, 0o700) == 0 { return [path] }
    let reason = errno
    let above = parent(of: path)
    switch reason {
    case EEXIST where isDirectory(path): return []
    // Another process has removed it since.
    case EEXIST where access(path, F_OK) != 0 && attempts > 0:
      return try makeAll(path, attempts: attempts - 1)
    // Another process that gives up removes the parents that it created, and a third one may create
    // them again. A parent that exists but accepts no entry was itself removed, or is a system
    // directory.
    case ENOENT where above != path && attempts > 0:
      let made = isDirectory(above) ? [] : try makeAll(above)
      return try made + makeAll(path, attempts: attempts - 1)
    case EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENAMETOOLONG:
      throw LogError.refused(reason, "cannot create the directory \(path)")
    default:
      throw LogError(
        code: .io,
        message: "cannot create the directory \(path): \(String(cString: strerror(reason)))")
    }
  }
}
