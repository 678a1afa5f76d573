import CarillonLog
import CarillonModel
import Foundation

extension StoreErrorCode {
  /// Creates the code for an error of the operating system.
  ///
  /// - Parameter reason: The value of `errno`.
  package init(errno reason: Int32) {
    let code = LogErrorCode(errno: reason)
    self = [.full, .readOnly].contains(code) ? Self(rawValue: code.rawValue) : .io
  }
}

extension StoreError {
  /// Creates an error from an operating system error that Foundation reports; nil for any other
  /// error.
  package init?(foundation error: any Error) {
    var (path, reason): (String?, Int32?)
    switch error {
    case let error as POSIXError: reason = error.code.rawValue
    case let error as CocoaError:
      path = error.filePath ?? error.url?.path
      reason = (error.underlying as? POSIXError)?.code.rawValue
    default: return nil
    }
    self.init(
      code: reason.map(Code.init(errno:)) ?? .io,
      message: (path.map { "\($0): " } ?? "")
        + (reason.map { String(cString: strerror($0)) } ?? "cannot be read or written"),
      cause: error)
  }
}
