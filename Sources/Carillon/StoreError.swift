import CarillonModel

/// Why a store could not do what was asked.
///
/// Nothing was written, unless the documentation of the function says otherwise.
public typealias StoreError = CodedError<StoreErrorCode>

/// The code of a ``StoreError``.
public struct StoreErrorCode: ErrorCode {
  /// The text of the code.
  public let rawValue: String

  /// Creates a code from its text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// There is no store, file, habit, schedule or event with that name.
  public static let notFound = Self(rawValue: "notFound")
  /// Something already exists at that place.
  public static let alreadyExists = Self(rawValue: "alreadyExists")
  /// The name matches more than one; the message lists them.
  public static let ambiguous = Self(rawValue: "ambiguous")
  /// A value is outside its limits or has the wrong format.
  public static let invalidValue = Self(rawValue: "invalidValue")
  /// The store's files are damaged.
  public static let corrupt = Self(rawValue: "corrupt")
  /// The store was written by a newer version of Carillon.
  public static let unsupportedFormat = Self(rawValue: "unsupportedFormat")
  /// The wall clock cannot be used.
  public static let clockExhausted = Self(rawValue: "clockExhausted")
  /// A replica belongs to another store.
  public static let otherStore = Self(rawValue: "otherStore")
  /// The peer violated the protocol.
  public static let protocolViolation = Self(rawValue: "protocol")
  /// The peer cannot be reached.
  public static let unreachable = Self(rawValue: "unreachable")
  /// The peer does not accept this device, or no longer.
  public static let denied = Self(rawValue: "denied")
  /// The store is sealed, and its keys are not on this device.
  package static let missingKeys = Self(rawValue: "missingKeys")
  /// The directory is not writable.
  public static let readOnly = Self(rawValue: "readOnly")
  /// The disk is full.
  public static let full = Self(rawValue: "full")
  /// Another process or task holds a needed resource; trying again helps.
  public static let busy = Self(rawValue: "busy")
  /// The operating system reported an error.
  public static let io = Self(rawValue: "io")
  /// The task was cancelled.
  public static let cancelled = Self(rawValue: "cancelled")
  /// The store was closed.
  public static let closed = Self(rawValue: "closed")
}

extension StoreError {
  /// Creates the error for writing to an erased habit or source.
  init(erased payload: Payload, index: Int? = nil) {
    let (name, hint) =
      switch payload.erasureSubject {
      case .habit(let habit), .receipt(let habit): ("habit \(habit)", "add a new habit")
      case .source(let source): ("source \(source)", "use another name")
      case .none: ("the subject", "use another name")
      }
    self.init(
      code: .invalidValue,
      message: "\(name) was permanently erased and accepts no new events (\(payload.typeName))",
      index: index, hint: hint)
  }
}
