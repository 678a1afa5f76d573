package import Foundation

/// A directory for one test, removed when the object is released.
package final class TemporaryDirectory: Sendable {
  /// The directory's URL.
  package let url: URL

  /// Creates an empty directory.
  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("carillon-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A directory that cannot be removed is left for the system to clean up.
    _ = try? FileManager.default.removeItem(at: url)
  }

  /// Returns the URL of an item in the directory.
  package func appending(_ name: String) -> URL {
    url.appendingPathComponent(name, isDirectory: true)
  }
}
