import Carillon
import CarillonModel

/// The failure of a verb: its exit code, what is wrong, and what to try next.
struct CommandFailure: Error {
  let status: ExitStatus
  /// A stable code that scripts can match.
  let code: String
  /// One sentence: what is wrong, the value, the limit.
  let message: String
  /// What to try next.
  let hint: String

  /// A malformed or out-of-range value.
  static func badData(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .badData, code: "invalidValue", message: message, hint: hint)
  }

  /// Conflicting flags, or a missing one.
  static func usage(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .usage, code: "usage", message: message, hint: hint)
  }

  /// No store, file, habit, schedule or event of that name.
  static func notFound(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .notFound, code: "notFound", message: message, hint: hint)
  }

  /// A name that matches more than one thing.
  static func ambiguous(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .badData, code: "ambiguous", message: message, hint: hint)
  }

  /// Returns the same failure with the store of the command line in its hint.
  func naming(store: String?) -> CommandFailure {
    CommandFailure(
      status: status, code: code, message: message, hint: NextCommand.naming(store, in: hint))
  }

  /// The text for standard error.
  var text: String { "error: \(message.printable)\nhint: \(hint.printable)\n" }

  /// The line for standard error with `--json`.
  var json: JSON {
    [
      "error": [
        "code": .text(code), "message": .text(message), "hint": .text(hint),
      ]
    ]
  }
}

extension CommandFailure: CustomStringConvertible {
  /// The message.
  var description: String { message }
}

extension CommandFailure {
  /// Creates the failure for any error of a verb; nil if the verb was cancelled by a signal, which
  /// then determines the exit code.
  init?(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case is CancellationError: return nil
    case let error as StoreError where error.code == .cancelled: return nil
    case let error as StoreError:
      // A failure that a verb throws inside a store's transaction is returned as the cause.
      if let cause = error.cause as? CommandFailure {
        self = cause
      } else {
        self.init(store: error)
      }
    case let error as ModelError: self.init(store: StoreError(model: error))
    default:
      if let error = StoreError(foundation: error) {
        self.init(store: error)
        return
      }
      self.init(
        status: .internal, code: "internal", message: "\(error)",
        hint: "this is a bug in Carillon; please report it with the command that you ran")
    }
  }

  init(store error: StoreError) {
    self.init(
      status: ExitStatus(error.code), code: error.code.rawValue, message: error.message,
      hint: error.hint ?? Self.hint(error.code))
  }

  private static func hint(_ code: StoreError.Code) -> String {
    switch code {
    case .notFound: "check the path, or create a store: carillon init --replica NAME --store DIR"
    case .alreadyExists: "choose another directory"
    case .ambiguous: "give the ID"
    case .invalidValue: "see the command's --help for the values that it takes"
    case .corrupt: "list what is damaged: carillon verify"
    case .clockExhausted: "set the clock, or give another --now"
    case .otherStore: "only replicas of one store can sync; compare the store IDs: carillon status"
    case .protocolViolation:
      "run the command again; if it still fails, check both stores: carillon verify"
    case .readOnly: "check the permissions of the file or directory, or choose another one"
    case .full: "free space on the disk and run the command again; nothing was lost"
    case .busy: "run the command again in a moment"
    case .io: "check the disk and the permissions, and run the command again"
    default: "run the command again; if it still fails, check the store: carillon verify"
    }
  }
}

extension StoreError {
  /// Creates the error that a store throws for an error of the model.
  fileprivate init(model error: ModelError) {
    self.init(
      code: error.code == .clockExhausted ? .clockExhausted : .invalidValue,
      message: error.message, hint: error.hint, cause: error)
  }
}

extension ExitStatus {
  fileprivate init(_ code: StoreError.Code) {
    self =
      switch code {
      case .notFound: .notFound
      case .alreadyExists: .cannotCreate
      case .ambiguous, .invalidValue, .corrupt, .unsupportedFormat, .clockExhausted, .otherStore:
        .badData
      case .unreachable: .unreachable
      case .protocolViolation: .protocol
      case .readOnly: .denied
      case .full, .io: .inputOutput
      case .busy: .busy
      default: .internal
      }
  }
}
