import CarillonLog
import CarillonModel
import CarillonSQLite
import CarillonSync

/// Runs a body and converts every error of the lower modules into a `StoreError`.
package func translatingErrors<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async throws -> Result {
  do {
    return try await body()
  } catch {
    throw StoreError(translating: error)
  }
}

/// Runs a body and converts the log's errors into a `StoreError`.
///
/// Errors of the caller pass unchanged.
func translatingLogErrors<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as LogError {
    throw StoreError(translating: error)
  }
}

extension StoreError {
  init(translating error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case is CancellationError:
      self.init(code: .cancelled, message: "cancelled; nothing was changed")
    case let error as ModelError:
      let code: Code = error.code == .clockExhausted ? .clockExhausted : .invalidValue
      self.init(code: code, message: error.message, hint: error.hint ?? code.hint, cause: error)
    case let error as LogError:
      let code = Code(error.code)
      var hint = (error.cause as? ModelError)?.hint ?? code.hint
      switch error.reason {
      case .sharedProcessID:
        hint =
          "start one container in the process ID namespace of the other (docker run --pid "
          + "container:NAME), or use the store in one of them at a time"
      case .needsCompacting:
        hint = "rewrite its file, which loses nothing: carillon compact"
      case .addressSpace:
        hint = "start it with more address space: ulimit -v unlimited"
      case .foreignFile(let path):
        hint = "move \(path) elsewhere, or choose another directory"
      case nil: break
      }
      self.init(code: code, message: error.message, hint: hint, cause: error)
    case let error as ProjectionError:
      let isDamaged = error.code == .damaged
      let code = isDamaged ? Code.corrupt : Code(rawValue: error.code.rawValue)
      let hint = isDamaged ? "rebuild the projections: carillon rebuild" : code.hint
      let message = error.heldFile.map { file in
        // Readers of a write-ahead log lock its index.
        let holder = LockHolder.text(ofAnyOn: [file, file + "-wal", file + "-shm"])
        return "\(file): \(holder) holds it"
      }
      self.init(code: code, message: message ?? error.message, hint: hint, cause: error)
    case let error as SyncError where error.code == .log && error.cause != nil:
      self.init(translating: error.cause ?? error)
    case let error as SyncError:
      let code = Code(error.code)
      let hint = error.code.hint ?? code.hint
      self.init(code: code, message: error.message, hint: hint, cause: error)
    default:
      self =
        StoreError(foundation: error) ?? StoreError(code: .io, message: "\(error)", cause: error)
    }
  }
}

extension StoreError {
  /// The path of a file that is in the place of a log but is not one.
  package var foreignFile: String? {
    guard case .foreignFile(let path) = (cause as? LogError)?.reason else { return nil }
    return path
  }
}

extension StoreError.Code {
  fileprivate init(_ code: LogError.Code) {
    switch code {
    case .corruptRun, .payloadTooLarge: self = .invalidValue
    default: self.init(rawValue: code.rawValue)
    }
  }

  fileprivate init(_ code: SyncError.Code) {
    switch code {
    case .otherStore: self = .otherStore
    case .unreachable: self = .unreachable
    case .clock: self = .clockExhausted
    case .retryAfter: self = .busy
    default: self = .protocolViolation
    }
  }

  /// The hint for a code, if the code alone determines it.
  fileprivate var hint: String? {
    switch self {
    case .notFound: "create a store: carillon init --replica NAME"
    case .corrupt:
      "list the damage: carillon verify; repair it from another replica: "
        + "carillon sync PEER --audit; if that fails, create a new replica: "
        + "carillon clone PEER DIR --replica NAME"
    case .unsupportedFormat: "use the version of Carillon that wrote it, or a newer one"
    case .clockExhausted: "set the clock of this device"
    case .otherStore:
      "use a replica of this store (see its id: carillon status); to join two stores permanently: "
        + "carillon join-store A B"
    case .unreachable: "sync again when the peer is reachable; what arrived is kept"
    case .readOnly: "check the directory's permissions"
    case .alreadyExists: "open it, or choose another directory"
    case .full: "make room on the disk, then try again"
    case .busy:
      "close other programs that use it, such as an app or carillon sync --watch, then try again"
    default: nil
    }
  }
}

extension SyncError.Code {
  /// The hint for a code of a sync error, if the store error's code is not specific enough.
  fileprivate var hint: String? {
    switch self {
    case .unsupportedVersion: "use the newer version of Carillon on both sides"
    case .messageTooLarge: "set the same message limit on both sides"
    case .tooManyHeads: "close replicas that no longer write: carillon replicas close --help"
    case .corruptRun: "check the peer's log: carillon verify"
    case .malformed: "check that the peer runs the same version of carillon"
    case .notInvited, .revoked: "ask the peer for an invitation"
    case .retryAfter: "sync again later; the peer is busy"
    case .noProgress: "use the same version of Carillon on both sides, then sync again"
    default: nil
    }
  }
}
