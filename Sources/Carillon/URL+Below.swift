import CarillonModel
import Foundation

extension URL {
  /// Whether a directory, which need not exist, lies below another one, with links resolved.
  func lies(below other: URL) -> Bool {
    guard let home = other.realPath else { return false }
    return resolvedPath.hasPrefix(home + "/")
  }

  /// The path with links resolved; its last names need not exist.
  var resolvedPath: String {
    if let realPath { return realPath }
    // Without `..`, each step is shorter.
    let plain = standardizedFileURL
    let parent = plain.deletingLastPathComponent()
    guard parent.filePath != plain.filePath else { return plain.filePath }
    let above = parent.resolvedPath
    return above + (above.hasSuffix("/") ? "" : "/") + plain.lastPathComponent
  }
}
