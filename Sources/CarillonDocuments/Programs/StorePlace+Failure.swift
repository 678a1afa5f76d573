package import Carillon
package import Foundation

extension StorePlace {
  /// Returns the directory of a store that should exist.
  ///
  /// - Throws: `notFound` if none is given, and the user has none.
  package func existing<Failure: ProgramFailure>(
    or failure: Failure.Type
  ) throws(Failure) -> URL {
    let directory = try required(or: failure)
    guard isGiven || FileManager.default.fileExists(atPath: directory.filePath) else {
      throw .notFound(
        "no store is given, and there is none at \(directory.relativePath)",
        hint: "create it: carillon init --replica NAME; or give --store DIR, or set CARILLON_STORE")
    }
    return directory
  }

  /// Returns the directory, which need not exist.
  ///
  /// - Throws: A usage error if none is given, and the user has none.
  package func required<Failure: ProgramFailure>(
    or failure: Failure.Type
  ) throws(Failure) -> URL {
    guard let directory else {
      throw .usage(
        isGiven ? "no store is given" : "no store is given, and HOME names no directory",
        hint: "give --store DIR, or set CARILLON_STORE")
    }
    return directory
  }
}
