import CarillonLog
import CarillonModel
import Foundation

/// The directory in which the files of an archive are written before the archive gets its name.
///
/// It lies beside the archive, which can then be renamed, and is locked while it is in use. So the
/// directories that killed runs left behind can be told apart.
struct ArchivePart {
  /// The directory for the files.
  let files: URL
  private let path: URL
  private let lock: DirectoryLock

  /// Creates the directory.
  init(in directory: URL, within limit: Duration) async throws {
    path = directory.appending(path: Self.name(getpid()), directoryHint: .isDirectory)
    lock = try await DirectoryLock.making(path.path, within: limit, Self.work).lock
    files = path.appending(path: "files", directoryHint: .isDirectory)
  }

  /// Removes the directory and everything in it.
  func remove() throws {
    defer { lock.release() }
    try FileManager.default.removeItem(at: path)
  }

  /// Removes what killed runs left behind in a directory, if it exists.
  static func removeLeftovers(in directory: URL) async throws {
    guard FileManager.default.fileExists(atPath: directory.path) else { return }
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      guard let process = Int32(name.dropFirst(prefix.count).dropLast(suffix.count)),
        name == Self.name(process)
      else { continue }
      let left = directory.appending(path: name)
      do {
        let lock = try await DirectoryLock(left.path, within: .zero, work)
        defer { lock.release() }
        if lock.isInPlace { try FileManager.default.removeItem(at: left) }
      } catch let error as LogError where [.busy, .notFound].contains(error.code) {
        // Another process writes an archive, or removes the same directory.
        continue
      }
    }
  }

  private static let work = "writing an archive in"
  private static let (prefix, suffix) = (".carillon-", ".part")

  private static func name(_ process: Int32) -> String { "\(prefix)\(process)\(suffix)" }
}
