import CarillonLog
import CarillonModel
import CarillonSealing
import Foundation

/// Whether a store's payloads are sealed, and whether this device has the keys.
enum Sealing: Sendable {
  /// Everybody who has the log reads it.
  case plain
  case sealed(StoreKeys)
  /// The log can be checked, synced and backed up, but neither read nor written.
  case withoutKeys

  /// Determines how the log in a store's directory is kept.
  ///
  /// - Parameter directory: Nil for a log in memory, which can only be plain.
  /// - Throws: `missingKeys` if the keys are missing and `mayLackKeys` is false.
  init(
    of log: any EventLog, in directory: URL?, mayLackKeys: Bool = false
  ) throws {
    if let directory, let keys = try StoreKeys(of: log.storeID, in: directory) {
      self = .sealed(keys)
    } else if try log.isSealed() {
      guard mayLackKeys else { throw StoreError.missingKeys(of: log.storeID) }
      self = .withoutKeys
    } else {
      self = .plain
    }
  }

  /// Returns the log as the store's readers see it, and lets it seal what is written.
  ///
  /// - Parameter clock: The time of what it records on its own.
  func opening(
    _ log: any EventLog, clock: @escaping @Sendable () -> Instant
  ) throws -> any EventLog {
    if case .plain = self { return log }
    guard let adapter = log as? any LogAdapter & AnyObject else {
      throw StoreError(
        code: .invalidValue, message: "a log of another program cannot be sealed",
        hint: "use a directory, or a log of Carillon's")
    }
    switch self {
    case .plain: return log
    case .withoutKeys:
      adapter.handle.rules.sealer = NoKeys(store: log.storeID)
      adapter.handle.rules.obeysErasureLists = true
      return log
    case .sealed(let keys):
      try keys.attach(to: adapter)
      return OpenedLog(sealed: log, keys: keys, clock: clock)
    }
  }
}

/// Refuses to write to a sealed store without its keys, except the messages by which they arrive.
private struct NoKeys: PayloadSealer {
  let store: StoreID

  func seal(
    _ payloads: [(bytes: [UInt8], timestamp: Timestamp)], of replica: ReplicaID,
    from sequence: SequenceNumber
  ) throws -> [[UInt8]] {
    let bytes = payloads.map(\.bytes)
    guard bytes.allSatisfy({ $0.withUnsafeBytes { Envelope.form(of: $0) } == .pairing }) else {
      throw StoreError.missingKeys(of: store)
    }
    return bytes
  }
}

extension StoreError {
  /// Creates the error of a sealed store whose keys are not on this device.
  static func missingKeys(of store: StoreID) -> StoreError {
    StoreError(
      code: .missingKeys,
      message: "the store \(store) is sealed, and its keys are not on this device")
  }

  /// Creates the store's error for one of sealing.
  init(sealing error: SealingError) {
    let code: Code =
      switch error.code {
      case .payloadTooLarge, .malformedWords, .invalidKeys: .invalidValue
      case .otherStore: .otherStore
      case .refusedPairing: .denied
      case .unsupported: .unsupportedFormat
      case .damaged, .notSealed: .corrupt
      default: .missingKeys
      }
    self.init(
      code: code, message: error.message, index: error.index, hint: error.hint, cause: error)
  }
}
