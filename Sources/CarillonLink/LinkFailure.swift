#if Service
import Carillon
import CarillonDocuments

/// Why the program ends: its exit code, a stable code, what is wrong, and what to try next.
///
/// It is printed as one line of JSON, which the command line reads.
struct LinkFailure: ProgramFailure {
  let status: ExitStatus
  let code: String
  let message: String
  var hint: String
  /// Whether the service does not accept the credential of this device.
  var isRefusal = false

  init(status: ExitStatus, code: String, message: String, hint: String) {
    (self.status, self.code, self.message, self.hint) = (status, code, message, hint)
  }

  /// The line for standard error.
  var line: String {
    let json: JSON = [
      "error": ["code": .text(code), "message": .text(message), "hint": .text(hint)],
      "refused": .bool(isRefusal),
    ]
    return json.line
  }
}

extension LinkFailure {
  /// The service cannot be reached.
  static func unreachable(_ message: String) -> LinkFailure {
    LinkFailure(
      status: .unreachable, code: StoreError.Code.unreachable.rawValue, message: message,
      hint: "check that the service runs and that the address is right, then sync again; what "
        + "arrived is kept")
  }

  /// The service accepts a connection, and answers nothing.
  static func silent(_ message: String) -> LinkFailure {
    var failure = unreachable(message)
    failure.hint =
      "check that the program there runs, and is neither stopped nor overloaded; to wait longer: "
      + "carillon sync PEER --stall-timeout 2m; what arrived is kept"
    return failure
  }

  /// The service does not accept this device.
  static func denied(_ message: String) -> LinkFailure {
    LinkFailure(
      status: .denied, code: StoreError.Code.denied.rawValue, message: message,
      hint: "ask for another invitation there (carillon invite --role ROLE), or of a hub, from its "
        + "operator (carillon hub invite ID --role ROLE)")
  }

  /// The service is not one of Carillon, or breaks the protocol.
  static func malformed(_ message: String) -> LinkFailure {
    LinkFailure(
      status: .protocol, code: StoreError.Code.protocolViolation.rawValue, message: message,
      hint: "check the address, and that the service is carillon serve of the same version")
  }

  /// The service asks to wait for too long.
  static func busy(_ message: String) -> LinkFailure {
    LinkFailure(
      status: .busy, code: StoreError.Code.busy.rawValue, message: message, hint: "sync again later"
    )
  }

  /// Creates the failure for any error.
  init(_ error: any Error) {
    switch error {
    case let failure as LinkFailure: self = failure
    case let error as StoreError: self.init(store: error)
    default:
      self = .unreachable("the connection failed: \(ConnectionEnd(error) ?? ConnectionEnd())")
    }
  }
}
#endif
