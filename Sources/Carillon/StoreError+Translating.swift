import CarillonLog
import CarillonModel
import CarillonSQLite
import CarillonSealing
import CarillonSync

extension StoreErrorCode: TranslatingErrorCode {
  /// Returns the store's error for any error.
  package static func translating(_ error: any Error) -> StoreError {
    switch error {
    case let error as StoreError: error
    case is CancellationError:
      StoreError(code: .cancelled, message: "cancelled; what was recorded before is kept")
    case let error as ModelError: replacing(error, code: StoreErrorCode(error.code))
    case let error as LogError: translating(error)
    case let error as ProjectionError: translating(error)
    case let error as SealingError: StoreError(sealing: error)
    case let error as SyncError:
      if error.code == .log, let cause = error.cause {
        translating(cause)
      } else {
        replacing(error, code: StoreErrorCode(error.code))
      }
    default:
      StoreError(foundation: error) ?? StoreError(code: .io, message: "\(error)", cause: error)
    }
  }

  private static func translating(_ error: LogError) -> StoreError {
    if let error = error.cause as? StoreError { return error }
    let model = error.cause as? ModelError
    return replacing(error, code: StoreErrorCode(error.code), hint: model?.hint)
  }

  private static func translating(_ error: ProjectionError) -> StoreError {
    guard error.code != .damaged else {
      return replacing(error, code: .corrupt, reason: .damagedProjections)
    }
    return replacing(error, code: StoreErrorCode(rawValue: error.code.rawValue))
  }

  private static func replacing<Other>(
    _ error: CodedError<Other>, code: Self, reason: ErrorReason? = nil, hint: String? = nil
  ) -> StoreError {
    StoreError(
      code: code, message: holder(error) ?? error.message, reason: reason ?? error.reason,
      index: error.index, hint: hint ?? error.hint, cause: error)
  }

  /// Names the process that holds a file of SQLite; nil for any other error.
  private static func holder<Other>(_ error: CodedError<Other>) -> String? {
    guard case .heldFile(let file) = error.reason else { return nil }
    // Readers of a write-ahead log lock its index.
    let holder = LockHolder.text(ofAnyOn: [file, file + "-wal", file + "-shm"])
    return "\(file): \(holder) holds it"
  }
}

extension StoreError {
  /// Runs an asynchronous body and replaces its error by one of the store.
  ///
  /// Not generic over the kind of error: Swift 6.3 miscompiles an asynchronous function that throws
  /// a generic type, and its caller receives an invalid pointer.
  package static func translating<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws(StoreError) -> Result {
    do { return try await body() } catch { throw Code.translating(error) }
  }
}

extension StoreErrorCode {
  fileprivate init(_ code: ModelErrorCode) {
    self = code == .clockExhausted ? .clockExhausted : .invalidValue
  }

  fileprivate init(_ code: LogErrorCode) {
    switch code {
    case .corruptRun, .payloadTooLarge: self = .invalidValue
    default: self.init(rawValue: code.rawValue)
    }
  }

  fileprivate init(_ code: SyncErrorCode) {
    switch code {
    case .otherStore: self = .otherStore
    case .unreachable: self = .unreachable
    case .clock: self = .clockExhausted
    case .retryAfter: self = .busy
    case .notInvited, .revoked: self = .denied
    default: self = .protocolViolation
    }
  }
}
