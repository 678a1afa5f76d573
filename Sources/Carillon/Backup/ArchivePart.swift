import CarillonLog
import CarillonModel
import Foundation

/// The directory in which the files of an archive are written before the archive gets its name.
///
/// It lies beside the archive, so that the archive can be renamed, and is locked while it is in use.
/// What killed runs left behind is therefore known, and removed by the next one.
struct ArchivePart {
  /// The directory for the files.
  let files: URL
  private let directory: URL
  private let lock: DirectoryLock

  /// Creates the directory, and removes those that killed runs left behind for the same archive.
  init(of archive: URL, within limit: Duration) async throws {
    try await Self.removeLeftovers(of: archive)
    directory = archive.appendingPathExtension("\(getpid()).\(Self.pathExtension)")
    var made = MadeDirectories()
    try made.make(directory.path)
    try made.sync()
    lock = try await DirectoryLock(directory.path, within: limit)
    files = directory.appending(path: "files", directoryHint: .isDirectory)
  }

  /// Removes the directory and everything in it.
  func remove() throws {
    defer { lock.release() }
    try FileManager.default.removeItem(at: directory)
  }

  private static let pathExtension = "part"

  private static func removeLeftovers(of archive: URL) async throws {
    let folder = archive.deletingLastPathComponent()
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    let prefix = archive.lastPathComponent + "."
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix(prefix) && name.hasSuffix("." + pathExtension) {
      guard Int32(name.dropFirst(prefix.count).dropLast(pathExtension.count + 1)) != nil else {
        continue
      }
      let left = folder.appending(path: name)
      do {
        let lock = try await DirectoryLock(left.path, within: .zero)
        defer { lock.release() }
        try FileManager.default.removeItem(at: left)
      } catch let error as LogError where error.code == .busy {
        // Another process is writing the same archive.
        continue
      }
    }
  }
}
