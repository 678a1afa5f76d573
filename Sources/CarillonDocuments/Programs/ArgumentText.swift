import Foundation

/// The arguments as the shell passed them.
package enum ArgumentText {
  /// Returns the failure that names the first argument that is not UTF-8; nil if all are.
  ///
  /// Swift replaces bytes that are not UTF-8. A path would then name another file.
  package static func failure<Failure: ProgramFailure>() -> Failure? {
    let arguments = CommandLine.arguments
    for index in arguments.indices {
      guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil
      else { continue }
      return .usage(
        "argument \(index), \"\(arguments[index].printable)\", is not UTF-8",
        hint: "give texts and paths in UTF-8")
    }
    return nil
  }
}
