import CarillonModel

/// Why a store could not do what was asked; nothing was written.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure; stable text, so that tools may match it.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The text.
    public let rawValue: String

    /// Makes a code of its text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// There is no store, file, habit or event of that name.
    public static let notFound = Code(rawValue: "notFound")
    /// Something is there already.
    public static let alreadyExists = Code(rawValue: "alreadyExists")
    /// The name fits more than one; the message lists them.
    public static let ambiguous = Code(rawValue: "ambiguous")
    /// A value is outside its limits, or not of its form.
    public static let invalidValue = Code(rawValue: "invalidValue")
    /// The store's files are damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// The store was written by a newer Carillon.
    public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
    /// The wall clock cannot be used.
    public static let clockExhausted = Code(rawValue: "clockExhausted")
    /// Another store's replica.
    public static let otherStore = Code(rawValue: "otherStore")
    /// The peer broke the protocol.
    public static let protocolViolation = Code(rawValue: "protocol")
    /// The peer cannot be reached.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The directory cannot be written.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The disk is full.
    public static let full = Code(rawValue: "full")
    /// Somebody else holds what is needed; trying again helps.
    public static let busy = Code(rawValue: "busy")
    /// The operating system refused.
    public static let io = Code(rawValue: "io")
    /// The task was cancelled.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The store was closed.
    public static let closed = Code(rawValue: "closed")
  }

  /// What kind of failure.
  public let code: Code
  /// One sentence for people: what, where, the limit.
  public let message: String
  /// Which of the things given it concerns, from 0, where it concerns one.
  public let index: Int?
  /// What to try next.
  public let hint: String?
  /// What lies beneath, where something does.
  public let cause: (any Error)?

  /// Makes an error of its parts.
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
  /// What was erased for good takes in no more.
  init(erased payload: Payload, index: Int? = nil) {
    let (name, hint) =
      switch payload.erasureSubject {
      case .habit(let habit), .receipt(let habit): ("habit \(habit)", "add a new habit")
      case .source(let source): ("source \(source)", "use another name")
      case .none: ("this", "use another name")
      }
    self.init(
      code: .invalidValue, message: "\(name) was erased for good; \(payload.typeName) is not kept",
      index: index, hint: hint)
  }
}
