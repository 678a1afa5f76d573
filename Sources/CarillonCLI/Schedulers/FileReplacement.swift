import Carillon
import CarillonDocuments
import CarillonLog
import CarillonModel
import Foundation

/// Replaces a file atomically, by a `NewFile`.
///
/// The new contents are written to a temporary file in the same directory, always with the same
/// name. The caller must hold the directory's lock, and first remove what a killed run left behind.
struct FileReplacement {
  private let file: URL
  private let temporary: String

  init(of file: URL) {
    self.file = file
    temporary = file.deletingLastPathComponent().path + "/" + Self.temporaryName
  }

  private static let temporaryName = ".carillon-new"

  /// Removes the temporary file that a killed run left behind, if any.
  func removeLeftover() throws(CommandFailure) {
    var status = stat()
    guard lstat(temporary, &status) == 0, unlink(temporary) != 0, errno != ENOENT else { return }
    throw .system(
      "\(temporary), left behind by a killed run, cannot be removed", errno,
      hint: "remove the file, and run the command again")
  }

  /// Replaces the contents of the file.
  ///
  /// A new file can be read and written only by its owner. A replaced file keeps its mode, and its
  /// owner if root replaces it.
  func write(_ contents: String) throws(CommandFailure) {
    do throws(LogError) {
      var old = stat()
      let isReplaced = stat(file.path, &old) == 0
      let new = try NewFile(at: temporary)
      try new.write(Array(contents.utf8))
      if isReplaced { try new.takeMode(of: old) }
      try new.finish(replacing: file.path)
    } catch {
      throw CommandFailure(store: StoreError(translating: error))
    }
  }
}
