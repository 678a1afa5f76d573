package import Foundation

extension URL {
  /// The path of a file or directory, without a slash at its end.
  ///
  /// Foundation's `path` takes longer than to open a file: it asks for the type of a set, for which
  /// the runtime searches all conformances of the program.
  package var filePath: String {
    var path = path(percentEncoded: false)
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return path
  }

  /// The path with links resolved; nil if nothing exists there.
  package var realPath: String? {
    guard let path = realpath(filePath, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
