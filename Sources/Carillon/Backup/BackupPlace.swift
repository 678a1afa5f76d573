import CarillonLog
import CarillonModel
import Foundation

/// Where a backup is: a directory, or a tar archive of one.
struct BackupPlace {
  let path: String
  /// The files of the archive; nil for a directory.
  private let members: [String: Range<Int64>]?

  /// Finds the files of a backup.
  ///
  /// - Throws: `notFound`, `corrupt`, `io`.
  init(_ url: URL) throws(StoreError) {
    path = url.path
    do throws(LogError) {
      members =
        MadeDirectories.isDirectory(path)
        ? nil : try TarArchive.members(of: try FileSlice(path: path))
    } catch {
      throw StoreError(translating: error)
    }
  }

  /// Opens a file of the backup; nil if it is missing.
  func open(_ name: String) throws(LogError) -> FileSlice? {
    guard let members else {
      do throws(LogError) {
        return try FileSlice(path: "\(path)/\(name)")
      } catch  where error.code == .notFound {
        return nil
      }
    }
    guard let range = members[name] else { return nil }
    return try FileSlice(path: path).sliced(range)
  }

  /// Reads the manifest.
  ///
  /// - Throws: `notFound` if there is no backup; `corrupt`, `io`.
  func manifest() throws -> BackupManifest {
    guard let file = try open(BackupManifest.fileName) else {
      throw StoreError(
        code: .notFound, message: "\(path) is not a backup: it has no \(BackupManifest.fileName)",
        hint: "give the directory or the archive of a backup")
    }
    guard file.byteCount <= Self.maxManifestBytes else {
      throw StoreError(
        code: .corrupt,
        message: "\(path)/\(BackupManifest.fileName) has \(file.byteCount) bytes; at most "
          + "\(Self.maxManifestBytes) are allowed",
        hint: "use another backup")
    }
    return try BackupManifest(json: file.read(Int(file.byteCount)), in: path)
  }

  private static let maxManifestBytes: Int64 = 64 << 20
}
