internal import CarillonMigrations
internal import Foundation

/// The names of the projection files in a store's directory.
///
/// `projection-v<version>-g<generation>.sqlite`, with SQLite's own files beside each. A file is
/// never renamed, and a generation that served is never made again.
struct ProjectionFiles: Sendable {
  let directory: URL
  /// True where nothing is to be written, even if it could be.
  let isReadOnly: Bool

  /// Whether files can be made in the directory.
  var isWritable: Bool { !isReadOnly && access(directory.path, W_OK) == 0 }

  /// The file of a generation, in this build's version.
  func file(of generation: UInt64) -> URL {
    directory.appending(path: "\(Self.prefix)v\(Migrations.version)-g\(generation).sqlite")
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
    directory.appending(path: "\(Self.prefix)v\(Migrations.version)-beside.sqlite")
  }

  /// Held while a file is built, so that no other process takes it for an interrupted build.
  var lockFile: URL {
    directory.appending(path: "\(Self.prefix)build.lock")
  }

  /// Removes every projection file but the one that serves.
  ///
  /// A process that still has such a file open goes on reading it until its next query.
  func removeAll(except generation: UInt64) throws {
    for name in try leftovers(besides: generation) {
      try Self.unlink(directory.appending(path: name))
    }
  }

  /// The names of all projection files but the one that serves.
  func leftovers(besides generation: UInt64) throws -> [String] {
    let kept = file(of: generation).lastPathComponent
    return try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { name in
      name.hasPrefix(Self.prefix) && name.contains(".sqlite") && !name.hasPrefix(kept)
    }
  }

  /// Removes one file, with SQLite's own beside it, where it is there.
  static func remove(_ file: URL) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try unlink(URL(filePath: file.path + suffix))
    }
  }

  /// Makes a file and its name durable.
  static func synchronize(_ file: URL) throws {
    try synchronize(path: file.path)
    try synchronize(path: file.deletingLastPathComponent().path)
  }

  private static let prefix = "projection-"

  private static func unlink(_ file: URL) throws {
    guard Foundation.unlink(file.path) != 0, errno != ENOENT else { return }
    throw ProjectionError(errno: errno, "remove \(file.path)")
  }

  private static func synchronize(path: String) throws {
    let descriptor = Foundation.open(path, O_RDONLY)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "open \(path)") }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw ProjectionError(errno: errno, "fsync \(path)") }
  }
}
