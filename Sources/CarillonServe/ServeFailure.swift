#if Service
import Carillon
import CarillonDocuments

/// Why the program does not serve: its exit code, what is wrong, and what to try next.
struct ServeFailure: Error {
  let status: ExitStatus
  /// A stable code that scripts can match; nil for that of the status.
  var code: String?
  /// What is wrong, where, and the limit; lower case, without a full stop.
  let message: String
  /// What to try next.
  let hint: String

  /// A wrong flag or setting.
  static func usage(_ message: String, hint: String) -> ServeFailure {
    ServeFailure(status: .usage, message: message, hint: hint)
  }

  /// The lines for standard error.
  var text: String { "error: \(message.printable)\nhint: \(hint.printable)\n" }

  /// The line for standard error with `--json`.
  var json: JSON {
    let usual =
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
    return [
      "error": ["code": .text(code ?? usual), "message": .text(message), "hint": .text(hint)]
    ]
  }
}

extension ServeFailure {
  /// Creates the failure for an error of the store.
  init(_ error: StoreError) {
    let next =
      switch error.code {
      case .notFound: "check the path, or create a store: carillon init --replica NAME --store DIR"
      case .readOnly: "check the permissions of the file or directory"
      case .busy: "close other programs that use the store, then try again"
      case .missingKeys:
        "bring the keys back with the recovery phrase: carillon recover; or with a device that has "
          + "them: carillon pair"
      case .full: "make room on the disk, then try again"
      default: "check the store: carillon verify"
      }
    self.init(
      status: ExitStatus(error.code), code: error.code.rawValue, message: error.message,
      hint: error.hint ?? next)
  }
}
#endif
