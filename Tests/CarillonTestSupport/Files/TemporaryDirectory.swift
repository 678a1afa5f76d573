package import Foundation
internal import Synchronization

/// A directory for one test, removed when the object is released, or else when the process ends.
package final class TemporaryDirectory: Sendable {
  /// The directory's URL.
  package let url: URL

  /// Those that exist: a static object, which several tests share, is never released.
  private static let existing = Mutex<Set<URL>>([])
  private static let removal: Void = { atexit { TemporaryDirectory.removeAll() } }()

  /// Creates an empty directory.
  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("carillon-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    _ = Self.removal
    Self.existing.withLock { _ = $0.insert(url) }
  }

  deinit {
    Self.existing.withLock { _ = $0.remove(url) }
    Self.remove(url)
  }

  /// Returns the URL of an item in the directory.
  package func appending(_ name: String) -> URL {
    url.appendingPathComponent(name, isDirectory: true)
  }

  private static func removeAll() {
    for url in existing.withLock(\.self) { remove(url) }
  }

  private static func remove(_ url: URL) {
    // A directory that cannot be removed is left for the system to clean up.
    _ = try? FileManager.default.removeItem(at: url)
  }
}
