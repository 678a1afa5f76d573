internal import CarillonModel
internal import Foundation

/// The names of the projection files in a store's directory.
///
/// A name is `projection-v<version>-g<generation>.sqlite`, with SQLite's own files next to it. A
/// file is never renamed, and a generation that was in use is never built again.
struct ProjectionFiles: Sendable {
  let directory: URL
  /// Whether no files may be written, even if that is possible.
  let isReadOnly: Bool
  /// Whether there are no files: the projections are in memory, and the log may be writable.
  let isInMemory: Bool

  /// - Parameter directory: The store's directory, or nil for projections in memory.
  init(directory: URL?, isReadOnly: Bool) {
    // There are no files below this path, and none can be created.
    self.directory = directory ?? URL(filePath: "/dev/null", directoryHint: .isDirectory)
    self.isReadOnly = isReadOnly
    isInMemory = directory == nil
  }

  /// Whether files can be created in the directory, according to its permissions.
  var isWritable: Bool { !isInMemory && !isReadOnly && access(directory.filePath, W_OK) == 0 }

  /// Whether the log of these projections can be written, according to its permissions.
  var allowsWriting: Bool { isInMemory || isWritable }

  /// Whether the disk has enough space for a normal catch-up.
  var hasRoom: Bool {
    var status = statvfs()
    guard statvfs(directory.filePath, &status) == 0 else { return false }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 8 << 20
  }

  /// Returns the access with which the file in use is opened.
  ///
  /// On a read-only medium, a file that was closed properly is opened as `frozen`, because SQLite
  /// could not create the files that it needs to read a file with writers.
  func accessToServe(_ file: URL) -> Connection.Access {
    if isWritable { return .serve }
    return isReadOnlyMedium && Self.isAtRest(file) ? .frozen : .read
  }

  private var isReadOnlyMedium: Bool { access(directory.filePath, W_OK) != 0 && errno == EROFS }

  /// Whether no process has a file open for writing and no SQLite files remain next to it.
  static func isAtRest(_ file: URL) -> Bool {
    var status = stat()
    return ["-wal", "-shm", "-journal"].allSatisfy {
      lstat(file.filePath + $0, &status) != 0 && errno == ENOENT
    }
  }

  /// The identity of the file at a path, and the time of its last write.
  struct Stamp: Equatable {
    private let (file, seconds, nanoseconds, byteCount): (UInt64, Int, Int, Int64)

    /// Reads the stamp of a file; nil if that fails.
    init?(_ file: URL) {
      var status = stat()
      guard stat(file.filePath, &status) == 0 else { return nil }
      #if canImport(Darwin)
      let time = status.st_mtimespec
      #else
      let time = status.st_mtim
      #endif
      (self.file, byteCount) = (UInt64(status.st_ino), Int64(status.st_size))
      (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
    }
  }

  /// Checks that SQLite can open a file.
  ///
  /// SQLite would fail on anything that is not a file and wait forever on a pipe, without an error
  /// that names the cause.
  ///
  /// A file that SQLite creates next to another one must not be a link, because the link's target
  /// could belong to someone else.
  ///
  /// - Parameter isWritten: Whether the file must be writable.
  /// - Throws: `damaged` if it is missing, is not a file, or may not be opened by this user.
  static func requireRegular(_ file: URL, isWritten: Bool) throws {
    for suffix in ["", "-wal", "-shm"] {
      let path = file.filePath + suffix
      var status = stat()
      let result = suffix.isEmpty ? stat(path, &status) : lstat(path, &status)
      if result != 0 {
        guard errno == ENOENT else { throw ProjectionError(errno: errno, path) }
        if suffix.isEmpty { throw ProjectionError(code: .damaged, message: "\(path) is missing") }
        continue
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        throw ProjectionError(
          code: .damaged, message: "\(path) is \(isLink ? "a symbolic link" : "not a regular file")"
        )
      }
      guard access(path, isWritten ? R_OK | W_OK : R_OK) == 0 || errno != EACCES else {
        throw ProjectionError(code: .damaged, message: "\(path) is not accessible to this user")
      }
    }
  }

  /// Returns the file of a generation, in this build's version.
  func file(of generation: UInt64) -> URL {
    directory.appending(path: "\(Self.prefix)v\(Table.version)-g\(generation).sqlite")
  }

  /// Returns the version of another build's file for a generation; nil if there is none.
  func version(of generation: UInt64) throws -> Int? {
    try leftovers(besides: generation).lazy.compactMap { name -> Int? in
      let parts = name.dropFirst(Self.prefix.count).split(separator: "-")
      guard parts.count == 2, parts[1] == "g\(generation).sqlite", parts[0].hasPrefix("v") else {
        return nil
      }
      return Int(parts[0].dropFirst())
    }.first
  }

  /// The file of a shadow build, which is compared or queried once and then removed.
  var shadowFile: URL {
    directory.appending(path: "\(Self.prefix)v\(Table.version)-shadow.sqlite")
  }

  /// The lock that is held while a file is built, so that no other process mistakes it for the rest
  /// of an interrupted build.
  var lockFile: URL {
    directory.appending(path: "\(Self.prefix)build.lock")
  }

  /// Removes every projection file except the one in use.
  ///
  /// A process that has such a file open continues to read it until its next query. If a file
  /// cannot be removed, the others are still removed before the error is thrown.
  func removeAll(except generation: UInt64) throws {
    var failure: (any Error)?
    for name in try leftovers(besides: generation) {
      do {
        try Self.unlink(directory.appending(path: name))
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Returns the names of all projection files except the one in use.
  func leftovers(besides generation: UInt64) throws -> [String] {
    let kept = file(of: generation).lastPathComponent
    return try FileManager.default.contentsOfDirectory(atPath: directory.filePath).filter { name in
      name.hasPrefix(Self.prefix) && name.contains(".sqlite") && !name.hasPrefix(kept)
    }
  }

  /// Returns the stamps of all projection files that are not in use.
  ///
  /// They change during a build.
  func stamps() throws -> [String: Stamp] {
    var stamps: [String: Stamp] = [:]
    for name in try leftovers(besides: 0) { stamps[name] = Stamp(directory.appending(path: name)) }
    return stamps
  }

  /// Removes a file and SQLite's own files next to it, if they exist.
  static func remove(_ file: URL) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try unlink(URL(filePath: file.filePath + suffix))
    }
  }

  /// Creates an empty file with access for the owner only, replacing an existing one.
  ///
  /// SQLite's own files next to it get the same permissions.
  static func makeEmpty(_ file: URL) throws {
    try remove(file)
    let descriptor = open(file.filePath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "cannot create \(file.path)") }
    close(descriptor)
  }

  /// Gives a file the permissions that the owner set for the file that it replaces.
  static func keepPermissions(of replaced: URL, in file: URL) throws {
    var status = stat()
    guard stat(replaced.filePath, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    guard chmod(file.filePath, status.st_mode & 0o777) == 0 else {
      throw ProjectionError(errno: errno, "cannot set the permissions of \(file.path)")
    }
  }

  /// Makes a file and its name durable.
  static func synchronize(_ file: URL) throws {
    try synchronize(path: file.filePath)
    try synchronize(path: file.deletingLastPathComponent().filePath)
  }

  static let prefix = "projection-"

  private static func unlink(_ file: URL) throws {
    guard Foundation.unlink(file.filePath) != 0, errno != ENOENT else { return }
    // A directory in the file's place, created by another program.
    if errno == EISDIR || errno == EPERM, rmdir(file.filePath) == 0 { return }
    throw ProjectionError(errno: errno, "cannot remove \(file.path)")
  }

  private static func synchronize(path: String) throws {
    let descriptor = Foundation.open(path, O_RDONLY)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "cannot open \(path)") }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw ProjectionError(errno: errno, "cannot sync \(path)") }
  }
}
