#if Service
import Carillon
import Foundation

/// A file for what only a file can hold during a request, such as a database; removed when the
/// object is released.
final class ScratchFile: Sendable {
  let url: URL
  private let directory: URL

  /// Creates a file that only the user can read, in a directory of its own.
  ///
  /// - Throws: `io`, `full`.
  init(_ content: [UInt8] = []) throws(StoreError) {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "carillon-\(UUID().uuidString.lowercased())")
    // Messages name the file as the client knows it.
    url = directory.appending(path: "body")
    self.directory = directory
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      try Data(content).write(to: url)
    } catch {
      throw StoreError(translating: error)
    }
  }

  deinit {
    // What cannot be removed is left to the system, which cleans the directory.
    _ = try? FileManager.default.removeItem(at: directory)
  }
}
#endif
