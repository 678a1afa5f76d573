#if Service
import Carillon
import CarillonDocuments
import Foundation

/// Why the program does not serve: its exit code, what is wrong, and what to try next.
struct ServeFailure: ProgramFailure {
  let status: ExitStatus
  /// A stable code that scripts can match.
  let code: String
  /// What is wrong, where, and the limit; lower case, without a full stop.
  let message: String
  /// What to try next.
  var hint: String

  /// The lines for standard error.
  var text: String { "error: \(message.printable)\nhint: \(hint.printable)\n" }

  /// The line for standard error with `--json`.
  var json: JSON {
    ["error": ["code": .text(code), "message": .text(message), "hint": .text(hint)]]
  }
}

extension ServeFailure {
  /// Creates the failure for an error of the store that is to be served.
  ///
  /// - Parameter store: The store, if the commands of the hint must name it.
  init(serving error: StoreError, naming store: String?) {
    self.init(store: error)
    hint = NextCommand.naming(store, in: hint)
    guard error.code == .readOnly, error.hint == nil else { return }
    hint =
      "a service keeps its own files in the store's directory: let its user write there, or serve "
      + "a copy of the store: carillon clone A B --replica NAME"
  }

  /// A file that a setting names cannot be read.
  ///
  /// - Parameter reason: The value of `errno`.
  static func unreadable(_ file: String, _ reason: Int32, hint: String) -> ServeFailure {
    ServeFailure(
      status: reason == ENOENT ? .notFound : ExitStatus(StoreError.Code(errno: reason)),
      message: "\(file) cannot be read: \(String(cString: strerror(reason)))", hint: hint)
  }

  /// Another clock is given.
  static var otherClock: ServeFailure {
    .usage("--now: a service uses the system's clock", hint: "leave out --now")
  }

  /// Creates a failure with the usual code of its exit code.
  init(status: ExitStatus, message: String, hint: String) {
    let code =
      switch status {
      case .usage: "usage"
      case .badData: "invalidValue"
      case .internal: "internal"
      case .busy: "busy"
      case .denied: "readOnly"
      case .notFound: "notFound"
      case .unreachable: "unreachable"
      default: "io"
      }
    self.init(status: status, code: code, message: message, hint: hint)
  }
}
#endif
