package import Carillon
import CarillonLog
package import Foundation

/// The directory in a store's directory where services keep their own files.
///
/// Only the owner can read it. A directory that others can change is refused, since they could give
/// themselves access.
package struct ServiceDirectory: Sendable {
  package let url: URL
  private let path: String

  /// Finds the directory of a store, and creates it if it is missing.
  ///
  /// - Throws: `invalidValue` if others can change it; `readOnly`, `full`, `io`.
  package init(of store: URL) throws(StoreError) {
    url = try Self.make(store.appending(path: "service", directoryHint: .isDirectory))
    path = url.path
  }

  /// Returns a directory in it, which is created if it is missing.
  ///
  /// - Throws: `invalidValue` if others can change it; `readOnly`, `full`, `io`.
  package func directory(_ name: String) throws(StoreError) -> URL {
    try check()
    return try Self.make(url.appending(path: name, directoryHint: .isDirectory))
  }

  /// Requires that nobody but the owner can change the directory, which may have changed since it
  /// was found.
  ///
  /// - Throws: `invalidValue`, `notFound`, `io`.
  package func check() throws(StoreError) {
    try Self.requireOwnDirectory(path)
  }

  /// Whether the directory, which was there, is no longer there.
  package var isMissing: Bool { access(path, F_OK) != 0 && errno == ENOENT }

  /// Returns the names of the files in a directory, sorted, without those that are being written.
  ///
  /// - Throws: `io`.
  static func files(in directory: URL) throws(StoreError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory.path)
        .filter { $0.hasSuffix(".json") }.sorted()
    } catch {
      throw StoreError(translating: error)
    }
  }

  /// Removes the files in a directory that were not written to their end, since their process was
  /// killed more than an hour ago.
  static func removeUnfinished(in directory: URL) {
    let oldest = Date(timeIntervalSinceNow: -3_600)
    let files = try? FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: [.contentModificationDateKey])
    for file in files ?? [] where file.lastPathComponent.contains(".json.") {
      let date = try? file.resourceValues(forKeys: [.contentModificationDateKey])
        .contentModificationDate
      if let date, date < oldest { unlink(file.path) }
    }
  }

  private static func make(_ directory: URL) throws(StoreError) -> URL {
    let path = directory.path
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw StoreError(errno: errno, "cannot create \(path)")
    }
    try requireOwnDirectory(path)
    return directory
  }

  private static func requireOwnDirectory(_ path: String) throws(StoreError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw StoreError(errno: errno, "cannot read \(path)") }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw StoreError(
        code: .invalidValue, message: "\(path) is a link or a file, not a directory",
        hint: "remove it, and start the service again")
    }
    try requireOwn(status, path)
  }

  /// What only the owner may do with a file or a directory, as bits of its mode.
  package enum Restriction: mode_t, Sendable {
    case change = 0o022
    case read = 0o077
  }

  /// Requires that a file or a directory belongs to the user, or to root, and that nobody else can
  /// do something with it.
  ///
  /// - Parameter hint: What to try next; by default, how to take the permission away.
  /// - Throws: `invalidValue`.
  package static func requireOwn(
    _ status: stat, _ path: String, _ restriction: Restriction = .change, hint: String? = nil
  ) throws(StoreError) {
    guard [geteuid(), 0].contains(status.st_uid) else {
      throw StoreError(
        code: .invalidValue, message: "\(path) belongs to another user",
        hint: hint ?? "give it to the user who starts the service: chown USER \(path)")
    }
    guard status.st_mode & restriction.rawValue == 0 else {
      let verb = restriction == .change ? "changed" : "read"
      throw StoreError(
        code: .invalidValue, message: "\(path) can be \(verb) by other users",
        hint: hint
          ?? "check what is in it, then take their permission away: chmod go-w \(path)")
    }
  }
}

extension StoreError {
  /// Creates an error of the operating system.
  init(errno reason: Int32, _ action: String) {
    self.init(
      code: .init(errno: reason), message: "\(action): \(String(cString: strerror(reason)))")
  }
}
