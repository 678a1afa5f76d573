import Foundation

extension StoreError.Code {
  /// Creates the code for an error of the operating system.
  ///
  /// - Parameter reason: The value of `errno`.
  package init(errno reason: Int32) {
    self =
      switch reason {
      case ENOSPC, EDQUOT, EFBIG: .full
      case EACCES, EPERM, EROFS: .readOnly
      default: .io
      }
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
