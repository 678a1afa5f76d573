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
      let hint = (error.cause as? ModelError)?.hint ?? code.hint
      self.init(code: code, message: error.message, hint: hint, cause: error)
    case let error as ProjectionError:
      let code = error.code == .damaged ? Code.corrupt : Code(rawValue: error.code.rawValue)
      self.init(code: code, message: error.message, hint: code.hint, cause: error)
    case let error as SyncError:
      let code = Code(error.code)
      self.init(code: code, message: error.message, hint: code.hint, cause: error)
    default:
      self.init(code: .io, message: "\(error)", cause: error)
    }
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
    default: self = .protocolViolation
    }
  }

  /// What to try next, where it follows from the kind alone.
  fileprivate var hint: String? {
    switch self {
    case .notFound: "make a store: carillon init --replica NAME"
    case .corrupt: "look closer with carillon verify, or sync into a new store"
    case .unsupportedFormat: "use a newer Carillon"
    case .clockExhausted: "set the clock of this device"
    case .otherStore: "sync replicas of one store"
    case .readOnly: "check the directory's permissions"
    case .full: "make room on the disk, then try again"
    case .busy: "try again"
    default: nil
    }
  }
}
