import Carillon
import CarillonDocuments
import CarillonModel

/// The failure of a verb: its exit code, what is wrong, and what to try next.
struct CommandFailure: ProgramFailure {
  let status: ExitStatus
  /// A stable code that scripts can match.
  let code: String
  /// One sentence: what is wrong, the value, the limit.
  var message: String
  /// What to try next.
  var hint: String

  /// A malformed file, line or store, or a value that the store refuses.
  static func badData(_ message: String, hint: String) -> CommandFailure {
    CommandFailure(status: .badData, code: "invalidValue", message: message, hint: hint)
  }

  /// No directory for a file that is to be written.
  static func noDirectory(_ path: String) -> CommandFailure {
    .notFound("directory \(path) does not exist", hint: "give a file in an existing directory")
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
  var text: String { "error: \(message.oneLine)\nhint: \(hint.oneLine)\n" }

  /// The line for standard error with `--json`.
  var json: JSON {
    [
      "error": [
        "code": .text(code), "message": .text(message.oneLine), "hint": .text(hint.oneLine),
      ]
    ]
  }
}

extension String {
  /// The text without line breaks and other control characters, which a quoted name may have.
  fileprivate var oneLine: String { short.printable }

  /// The text, in which very long words are cut, such as a name of 100,000 letters.
  private var short: String {
    let (longest, kept) = (2_000, 100)
    guard utf8.count > longest else { return self }
    let words = split(separator: " ", omittingEmptySubsequences: false).map { word in
      word.utf8.count <= 2 * kept
        ? String(word)
        : "\(word.prefix(kept))… (\(word.utf8.count) bytes)\(word.last == "\"" ? "\"" : "")"
    }
    let text = words.joined(separator: " ")
    return text.utf8.count <= longest ? text : text.cut(toBytes: longest) + "…"
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
    case let error as ModelError: self.init(store: StoreError(translating: error))
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
}
