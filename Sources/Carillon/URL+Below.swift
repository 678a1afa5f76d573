import Foundation

extension URL {
  /// Whether a directory, which need not exist, lies below another one, with links resolved.
  func lies(below other: URL) -> Bool {
    guard let home = other.realPath else { return false }
    var above = self
    while true {
      if let real = above.realPath {
        return real.hasPrefix(home + "/") || real == home && above != self
      }
      let next = above.deletingLastPathComponent()
      guard next.path != above.path else { return false }
      above = next
    }
  }

  /// The path with links resolved; nil if nothing exists there.
  private var realPath: String? {
    guard let path = realpath(path, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
