#if Service
import Carillon
import Foundation

/// The directory in a store's directory where the service keeps its own files.
enum ServiceDirectory {
  /// Returns the directory, and creates it for the owner only if it is missing.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  static func make(in store: URL) throws(StoreError) -> URL {
    try make(store.appending(path: "service", directoryHint: .isDirectory))
  }

  /// Returns a directory, and creates it for the owner only if it is missing.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  static func make(_ directory: URL) throws(StoreError) -> URL {
    guard mkdir(directory.path, 0o700) == 0 || errno == EEXIST else {
      throw StoreError(
        code: .init(errno: errno),
        message: "cannot create \(directory.path): \(String(cString: strerror(errno)))")
    }
    return directory
  }
}
#endif
