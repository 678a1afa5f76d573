import CarillonModel

/// Why a store could not do what was asked.
///
/// Nothing was written, unless the documentation of the function says otherwise.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// Its text is stable, so that tools may match it.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The text of the code.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// There is no store, file, habit or event with that name.
    public static let notFound = Code(rawValue: "notFound")
    /// Something already exists at that place.
    public static let alreadyExists = Code(rawValue: "alreadyExists")
    /// The name matches more than one; the message lists them.
    public static let ambiguous = Code(rawValue: "ambiguous")
    /// A value is outside its limits or has the wrong format.
    public static let invalidValue = Code(rawValue: "invalidValue")
    /// The store's files are damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// The store was written by a newer version of Carillon.
    public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
    /// The wall clock cannot be used.
    public static let clockExhausted = Code(rawValue: "clockExhausted")
    /// A replica belongs to another store.
    public static let otherStore = Code(rawValue: "otherStore")
    /// The peer violated the protocol.
    public static let protocolViolation = Code(rawValue: "protocol")
    /// The peer cannot be reached.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The directory is not writable.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The disk is full.
    public static let full = Code(rawValue: "full")
    /// Another process or task holds a needed resource; trying again helps.
    public static let busy = Code(rawValue: "busy")
    /// The operating system reported an error.
    public static let io = Code(rawValue: "io")
    /// The task was cancelled.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The store was closed.
    public static let closed = Code(rawValue: "closed")
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence for people: what is wrong, where, and the limit.
  public let message: String
  /// The index, from 0, of the argument that the error concerns; nil if it concerns none.
  public let index: Int?
  /// What to try next.
  public let hint: String?
  /// The underlying error, if any.
  public let cause: (any Error)?

  /// Creates an error from its parts.
  public init(
    code: Code, message: String, index: Int? = nil, hint: String? = nil,
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.index = index
    self.hint = hint
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}

extension StoreError {
  /// An erased habit or source accepts no new events.
  init(erased payload: Payload, index: Int? = nil) {
    let (name, hint) =
      switch payload.erasureSubject {
      case .habit(let habit), .receipt(let habit): ("habit \(habit)", "add a new habit")
      case .source(let source): ("source \(source)", "use another name")
      case .none: ("this", "use another name")
      }
    self.init(
      code: .invalidValue,
      message: "\(name) was erased permanently; it accepts no \(payload.typeName)",
      index: index, hint: hint)
  }
}
