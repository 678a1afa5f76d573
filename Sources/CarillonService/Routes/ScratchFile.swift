#if Service
import Carillon
import Foundation

/// A file for what only a file can hold during a request, such as a database.
enum ScratchFile {
  /// Calls a closure with a file that only the user can read, in a directory of its own, and then
  /// removes both.
  ///
  /// - Throws: The error of the closure; `io`, `full`. A directory that cannot be removed is an
  ///   error, since it has a person's data.
  static func with<Value>(
    _ content: [UInt8] = [], _ body: (URL) async throws -> Value
  ) async throws -> Value {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "carillon-\(UUID().uuidString.lowercased())")
    try StoreError.translating {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    let result: Result<Value, any Error>
    do {
      // Messages name the file as the client knows it.
      let url = directory.appending(path: "body")
      try StoreError.translating { try Data(content).write(to: url) }
      result = .success(try await body(url))
    } catch {
      result = .failure(error)
    }
    try StoreError.translating { try FileManager.default.removeItem(at: directory) }
    return try result.get()
  }
}
#endif
