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
  /// - Throws: `notFound` if there is no directory or regular file; `corrupt`, `readOnly`, `io`.
  init(_ url: URL) throws {
    path = url.path
    var status = stat()
    // Another kind of file, such as a pipe, is not opened.
    if stat(path, &status) == 0, ![S_IFDIR, S_IFREG].contains(status.st_mode & S_IFMT) {
      throw Self.notBackup(path, "it is neither a directory nor a regular file")
    }
    members =
      MadeDirectories.isDirectory(path)
      ? nil : try Self.reading { [path] in try TarArchive.members(of: FileSlice(path: path)) }
  }

  /// Opens a file of the backup; nil if it is missing.
  func open(_ name: String) throws -> FileSlice? {
    guard let members else {
      do {
        return try Self.reading { try FileSlice(path: "\(path)/\(name)") }
      } catch let error as LogError where error.code == .notFound {
        return nil
      }
    }
    guard let range = members[name] else { return nil }
    return try Self.reading { try FileSlice(path: path).sliced(range) }
  }

  /// Reads from the files of a backup.
  ///
  /// - Throws: The errors of `body`, of which those of a file have a hint about the backup.
  static func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as LogError where error.reason == nil {
      let hint =
        switch error.code {
        case .notFound: Self.hint
        case .readOnly: "check the permissions of the backup, or use another one"
        default: "use another backup"
        }
      throw LogError(
        code: error.code, message: error.message, reason: .backupFile, hint: hint,
        cause: error.cause)
    }
  }

  /// Reads the manifest.
  ///
  /// - Throws: `notFound` if there is no backup; `corrupt`, `readOnly`, `io`.
  func manifest() throws -> BackupManifest {
    guard let file = try open(BackupManifest.fileName) else {
      throw Self.notBackup(path, "it has no \(BackupManifest.fileName)")
    }
    guard file.byteCount <= Self.maxManifestBytes else {
      throw StoreError(
        code: .corrupt,
        message: "\(path)/\(BackupManifest.fileName) has \(file.byteCount) bytes; at most "
          + "\(Self.maxManifestBytes) are allowed",
        hint: "use another backup")
    }
    let bytes = try Self.reading { try file.read(Int(file.byteCount)) }
    return try BackupManifest(json: bytes, in: path)
  }

  private static func notBackup(_ path: String, _ problem: String) -> StoreError {
    StoreError(code: .notFound, message: "\(path) is not a backup: \(problem)", hint: hint)
  }

  private static let hint = "give the directory or the tar archive of a backup"

  private static let maxManifestBytes: Int64 = 64 << 20
}
