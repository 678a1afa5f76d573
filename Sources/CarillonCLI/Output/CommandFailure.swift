import Carillon

/// Why a verb failed, in the form in which it is told: what was wrong, and what to try next.
struct CommandFailure: Error {
  let status: ExitStatus
  /// Stable text, so that scripts may match it.
  let code: String
  /// One sentence: what, where, the limit.
  let message: String
  /// What to try next.
  let hint: String

  /// A value that is not of its form or outside its limits.
  static func badData(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .badData, code: "invalidValue", message: message, hint: hint)
  }

  /// Flags that contradict one another, or one that is missing.
  static func usage(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .usage, code: "usage", message: message, hint: hint)
  }

  /// No store, file, habit, schedule or event of that name.
  static func notFound(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .notFound, code: "notFound", message: message, hint: hint)
  }

  /// A name that fits more than one thing.
  static func ambiguous(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .badData, code: "ambiguous", message: message, hint: hint)
  }

  /// The same, whose hint names the store of the command line.
  func naming(store: String?) -> CommandFailure {
    CommandFailure(
      status: status, code: code, message: message, hint: NextCommand.naming(store, in: hint))
  }

  /// What is written to standard error for people.
  var text: String { "error: \(message.printable)\nhint: \(hint.printable)\n" }

  /// What is written to standard error under `--json`: one line.
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
  /// Tells any error of a verb; nil for a cancelled one, whose exit code is the signal's.
  init?(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case is CancellationError: return nil
    case let error as StoreError where error.code == .cancelled: return nil
    case let error as StoreError:
      // What a verb refuses while the store decides comes back as a cause.
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
        hint: "this is a mistake of carillon; please report it with the command you ran")
    }
  }

  init(store error: StoreError) {
    self.init(
      status: ExitStatus(error.code), code: error.code.rawValue, message: error.message,
      hint: error.hint ?? Self.hint(error.code))
  }

  private static func hint(_ code: StoreError.Code) -> String {
    switch code {
    case .notFound: "check the path, or make a store: carillon init --replica NAME --store DIR"
    case .alreadyExists: "choose another directory"
    case .ambiguous: "name it by its id"
    case .invalidValue: "see the verb's --help for the values it takes"
    case .corrupt: "see what is damaged: carillon verify"
    case .clockExhausted: "set the clock, or give another --now"
    case .otherStore: "only replicas of one store sync; see the store's id: carillon status"
    case .protocolViolation: "run it again; if it stays, check both stores: carillon verify"
    case .readOnly: "check the permissions of the file or directory, or choose another"
    case .full: "make room on the disk and run it again; nothing was lost"
    case .busy: "run it again in a moment"
    case .io: "check the disk and the permissions, and run it again"
    default: "run it again; if it stays, check the store: carillon verify"
    }
  }
}

extension StoreError {
  /// A refusal of the domain, as the store would tell it.
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
