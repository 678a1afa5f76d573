import CarillonDocuments
import Foundation

/// The arguments as the shell passed them.
///
/// Swift replaces bytes that are not UTF-8. A path would then name another file.
enum ArgumentText {
  /// Returns the failure if an argument is not UTF-8; otherwise nil.
  static func failure() -> CommandFailure? {
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
