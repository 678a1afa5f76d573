public import Foundation

/// A directory for one test, removed when the object is released.
public final class TemporaryDirectory: Sendable {
  /// The directory's URL.
  public let url: URL

  /// Creates an empty directory.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("carillon-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A directory that cannot be removed is left for the system to clean up.
    _ = try? FileManager.default.removeItem(at: url)
  }

  /// Returns the URL of an item in the directory.
  public func appending(_ name: String) -> URL {
    url.appendingPathComponent(name, isDirectory: true)
  }
}
