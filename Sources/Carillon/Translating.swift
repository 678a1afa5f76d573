import CarillonLMDB
import CarillonModel
import CarillonSQLite
import CarillonSync

/// Runs a body and turns every error of the modules beneath into a `StoreError`.
func translatingErrors<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async throws -> Result {
  do {
    return try await body()
  } catch {
    throw StoreError(translating: error)
  }
}

/// Runs a body and turns the log's errors into a `StoreError`; the caller's own pass.
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
        hint = "write its file anew, which loses nothing: carillon compact"
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
      let hint = isDamaged ? "make the tables again: carillon rebuild" : code.hint
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
  /// What is in the place of a log, and none.
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

  /// What to try next, where it follows from the kind alone.
  fileprivate var hint: String? {
    switch self {
    case .notFound: "make a store: carillon init --replica NAME"
    case .corrupt:
      "see what is damaged: carillon verify; repair it from another replica: "
        + "carillon sync PEER --audit; where that fails make a new one of that: "
        + "carillon clone PEER DIR --replica NAME"
    case .unsupportedFormat: "use the Carillon that wrote it, or a newer one"
    case .clockExhausted: "set the clock of this device"
    case .otherStore:
      "name a replica of this store (see its id: carillon status); to unite two stores for good: "
        + "carillon join-store A B"
    case .unreachable: "sync again when the other side is in reach; what arrived is kept"
    case .readOnly: "check the directory's permissions"
    case .alreadyExists: "use it, or choose another directory"
    case .full: "make room on the disk, then try again"
    case .busy: "try again when nobody else has it open, such as an app, or carillon sync --watch"
    default: nil
    }
  }
}

extension SyncError.Code {
  /// What to try next, where the kind of the store's error does not tell enough.
  fileprivate var hint: String? {
    switch self {
    case .unsupportedVersion: "use the newer Carillon on both sides"
    case .messageTooLarge: "give both sides the same limit of messages"
    case .tooManyHeads: "close replicas that write no more: carillon replicas close --help"
    case .corruptRun: "check the other side's log: carillon verify"
    case .malformed: "see that the other side is carillon, and of the same version"
    case .notInvited, .revoked: "ask for an invitation on the other side"
    case .retryAfter: "the other side is busy: sync again later"
    case .noProgress: "use the same version of Carillon on both sides, then sync again"
    default: nil
    }
  }
}
