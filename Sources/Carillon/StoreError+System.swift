import Foundation

extension StoreError.Code {
  /// The kind of what the operating system refused.
  ///
  /// - Parameter reason: As `errno` has it.
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
  /// What the operating system refused, as Foundation tells it; nil for any other error.
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
