import CarillonModel
import Foundation

extension Store {
  /// The greatest length of a store's path, with links resolved.
  ///
  /// SQLite opens a file only if its path has at most 504 bytes. The name of a projection file and
  /// the slash before it take up to 45.
  static let maxPathBytes = 450

  /// Checks that the files of a store in a directory can be opened.
  ///
  /// - Throws: `invalidValue` if the path is too long.
  static func requireShortPath(_ directory: URL) throws(StoreError) {
    let path = directory.resolvedPath
    guard path.utf8.count > maxPathBytes else { return }
    throw StoreError(
      code: .invalidValue,
      message: "\(path) has \(path.utf8.count) bytes; the path of a store has at most "
        + "\(maxPathBytes)",
      reason: .longPath, hint: "use a directory with a shorter path")
  }
}
