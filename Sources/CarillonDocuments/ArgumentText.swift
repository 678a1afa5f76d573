import Foundation

/// The arguments as the shell passed them.
///
/// Swift replaces bytes that are not UTF-8. A path would then name another file.
package enum ArgumentText {
  /// Names the first argument that is not UTF-8; nil if all are.
  package static var problem: String? {
    let arguments = CommandLine.arguments
    for index in arguments.indices {
      guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil
      else { continue }
      return "argument \(index), \"\(arguments[index].printable)\", is not UTF-8"
    }
    return nil
  }
}
