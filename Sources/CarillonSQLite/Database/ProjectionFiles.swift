internal import Foundation

/// The names of the projection files in a store's directory.
///
/// `projection-v<version>-g<generation>.sqlite`, with SQLite's own files beside each. A file is
/// never renamed, and a generation that served is never made again.
struct ProjectionFiles: Sendable {
  let directory: URL
  /// True where nothing is to be written, even if it could be.
  let isReadOnly: Bool
  /// True where there are no files: the projections are in memory, and the log may be written.
  let isInMemory: Bool

  /// - Parameter directory: Nil for projections in memory.
  init(directory: URL?, isReadOnly: Bool) {
    // Nothing lies below it, and nothing can be made there.
    self.directory = directory ?? URL(filePath: "/dev/null", directoryHint: .isDirectory)
    self.isReadOnly = isReadOnly
    isInMemory = directory == nil
  }

  /// Whether files can be made in the directory, as far as permissions go.
  var isWritable: Bool { !isInMemory && !isReadOnly && access(directory.path, W_OK) == 0 }

  /// Whether the log of these projections can be written, as far as permissions go.
  var allowsWriting: Bool { isInMemory || isWritable }

  /// Whether the disk has more room than the usual catch-up needs.
  var hasRoom: Bool {
    var status = statvfs()
    guard statvfs(directory.path, &status) == 0 else { return false }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 8 << 20
  }

  /// How a file is opened that serves.
  ///
  /// On a medium that nobody can write, a file that was closed well is read as it is: SQLite could
  /// not make there what it needs to read a file that others may write.
  func accessToServe(_ file: URL) -> Connection.Access {
    if isWritable { return .serve }
    return isReadOnlyMedium && Self.isAtRest(file) ? .frozen : .read
  }

  private var isReadOnlyMedium: Bool { access(directory.path, W_OK) != 0 && errno == EROFS }

  /// Whether nobody has a file open to write it, nor left anything behind beside it.
  static func isAtRest(_ file: URL) -> Bool {
    var status = stat()
    return ["-wal", "-shm", "-journal"].allSatisfy {
      lstat(file.path + $0, &status) != 0 && errno == ENOENT
    }
  }

  /// Which file lies at a path, and when it was last written.
  struct Stamp: Equatable {
    private let (file, seconds, nanoseconds, byteCount): (UInt64, Int, Int, Int64)

    /// The stamp of a file; nil where it cannot be had.
    init?(_ file: URL) {
      var status = stat()
      guard stat(file.path, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      (self.file, byteCount) = (UInt64(status.st_ino), Int64(status.st_size))
      (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
    }
  }

  /// Looks whether SQLite can open a file: it would fail on what is no file, wait for ever at a
  /// pipe, and say of neither that the file is the cause.
  ///
  /// What SQLite makes beside a file is never a link, whose target belongs to somebody else.
  ///
  /// - Parameter isWritten: Whether it must be writable.
  /// - Throws: `damaged` where it is missing, no file, or one that this user may not open.
  static func requireRegular(_ file: URL, isWritten: Bool) throws {
    for suffix in ["", "-wal", "-shm"] {
      let path = file.path + suffix
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
          code: .damaged, message: "\(path) is \(isLink ? "a symbolic link" : "not a file")")
      }
      guard access(path, isWritten ? R_OK | W_OK : R_OK) == 0 || errno != EACCES else {
        throw ProjectionError(code: .damaged, message: "\(path) cannot be opened by this user")
      }
    }
  }

  /// The file of a generation, in this build's version.
  func file(of generation: UInt64) -> URL {
    directory.appending(path: "\(Self.prefix)v\(Table.version)-g\(generation).sqlite")
  }

  /// The version in which another build left a generation; nil where none did.
  func version(of generation: UInt64) throws -> Int? {
    try leftovers(besides: generation).lazy.compactMap { name -> Int? in
      let parts = name.dropFirst(Self.prefix.count).split(separator: "-")
      guard parts.count == 2, parts[1] == "g\(generation).sqlite", parts[0].hasPrefix("v") else {
        return nil
      }
      return Int(parts[0].dropFirst())
    }.first
  }

  /// A file that never serves: built to be compared or asked once, then removed.
  var besideFile: URL {
    directory.appending(path: "\(Self.prefix)v\(Table.version)-beside.sqlite")
  }

  /// Held while a file is built, so that no other process takes it for an interrupted build.
  var lockFile: URL {
    directory.appending(path: "\(Self.prefix)build.lock")
  }

  /// Removes every projection file but the one that serves.
  ///
  /// A process that still has such a file open goes on reading it until its next query. What cannot
  /// be removed keeps no other from being removed, and is then thrown.
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

  /// The names of all projection files but the one that serves.
  func leftovers(besides generation: UInt64) throws -> [String] {
    let kept = file(of: generation).lastPathComponent
    return try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { name in
      name.hasPrefix(Self.prefix) && name.contains(".sqlite") && !name.hasPrefix(kept)
    }
  }

  /// The stamps of all projection files that do not serve: they change while somebody builds.
  func stamps() throws -> [String: Stamp] {
    var stamps: [String: Stamp] = [:]
    for name in try leftovers(besides: 0) { stamps[name] = Stamp(directory.appending(path: name)) }
    return stamps
  }

  /// Removes one file, with SQLite's own beside it, where it is there.
  static func remove(_ file: URL) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try unlink(URL(filePath: file.path + suffix))
    }
  }

  /// Makes an empty file for the owner only, in place of one that is there; SQLite's own beside it
  /// follow its permissions.
  static func makeEmpty(_ file: URL) throws {
    try remove(file)
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "make \(file.path)") }
    close(descriptor)
  }

  /// Gives a file that replaces another the permissions that the owner gave to that one.
  static func keepPermissions(of replaced: URL, in file: URL) throws {
    var status = stat()
    guard stat(replaced.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    guard chmod(file.path, status.st_mode & 0o777) == 0 else {
      throw ProjectionError(errno: errno, "set the permissions of \(file.path)")
    }
  }

  /// Makes a file and its name durable.
  static func synchronize(_ file: URL) throws {
    try synchronize(path: file.path)
    try synchronize(path: file.deletingLastPathComponent().path)
  }

  static let prefix = "projection-"

  private static func unlink(_ file: URL) throws {
    guard Foundation.unlink(file.path) != 0, errno != ENOENT else { return }
    // A directory that somebody made in a file's place.
    if errno == EISDIR || errno == EPERM, rmdir(file.path) == 0 { return }
    throw ProjectionError(errno: errno, "remove \(file.path)")
  }

  private static func synchronize(path: String) throws {
    let descriptor = Foundation.open(path, O_RDONLY)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "open \(path)") }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw ProjectionError(errno: errno, "fsync \(path)") }
  }
}
