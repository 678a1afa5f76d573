public import Foundation

/// A directory of its own for one test, removed when the value is let go.
public final class TemporaryDirectory: Sendable {
  /// Where it is.
  public let url: URL

  /// Makes an empty directory.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("carillon-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be removed is left to the system's own cleaning.
    _ = try? FileManager.default.removeItem(at: url)
  }

  /// A place in the directory.
  public func appending(_ name: String) -> URL {
    url.appendingPathComponent(name, isDirectory: true)
  }
}
