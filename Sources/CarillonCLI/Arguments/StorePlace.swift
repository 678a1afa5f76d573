import Foundation

/// The place of a call's store: the directory of `--store`, else of `CARILLON_STORE`, else the one
/// in the user's data directory.
struct StorePlace: Sendable {
  /// The directory that is given, or nil for that of the user.
  private let given: String?

  /// - Parameter flag: The value of `--store`.
  init(given flag: String?) {
    given = flag ?? Self.variable("CARILLON_STORE")
  }

  /// Returns the directory of a store that should exist.
  ///
  /// - Throws: A usage error if none is given, and the user has none.
  func existing() throws(CommandFailure) -> URL {
    if given != nil { return try directory() }
    let standard = try directory()
    guard FileManager.default.fileExists(atPath: standard.path) else {
      throw .usage(
        "no store is given, and there is none at \(standard.relativePath)",
        hint: "create it: carillon init --replica NAME; or give --store DIR, or set CARILLON_STORE")
    }
    return standard
  }

  /// Returns the directory, which need not exist.
  ///
  /// - Throws: A usage error if none is given, and the user has none.
  func directory() throws(CommandFailure) -> URL {
    guard let path = given ?? Self.standard, !path.isEmpty else {
      throw .usage(
        given == nil ? "no store is given, and HOME names no directory" : "no store is given",
        hint: "give --store DIR, or set CARILLON_STORE")
    }
    return URL(filePath: path, directoryHint: .isDirectory)
  }

  /// `$XDG_DATA_HOME/carillon`, or else `~/.local/share/carillon`; nil without a home directory.
  private static var standard: String? {
    let home = variable("HOME").map { $0 + "/.local/share" }
    let data = variable("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
    return data.flatMap { $0.hasPrefix("/") ? $0 + "/carillon" : nil }
  }

  /// Returns the value of an environment variable, or nil if it is unset or empty.
  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
