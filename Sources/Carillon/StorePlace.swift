package import Foundation

/// The place of a program's store: the directory that is given, else that of `CARILLON_STORE`, else
/// the one in the user's data directory.
package struct StorePlace: Sendable {
  /// Whether the place is given, and not that of the user.
  package let isGiven: Bool
  /// The directory, which need not exist; nil if the given text is empty, or if none is given and
  /// the user has no home directory.
  package let directory: URL?

  /// - Parameter directory: The directory that the program's arguments give.
  package init(given directory: String?) {
    let given = directory ?? Self.variable("CARILLON_STORE")
    isGiven = given != nil
    let path = (given ?? Self.standard).flatMap { $0.isEmpty ? nil : $0 }
    self.directory = path.map { URL(filePath: $0, directoryHint: .isDirectory) }
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
