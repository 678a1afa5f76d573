package import CarillonModel
internal import Foundation

extension LogError {
  /// The files do not have the contents that were written.
  package static func corrupt(_ problem: String) -> LogError {
    LogError(code: .corrupt, message: "the log is damaged: \(problem)")
  }

  /// The handle was closed.
  package static var handleClosed: LogError {
    LogError(code: .closed, message: "the log was closed")
  }

  /// Returns the port's error for any error that was thrown inside a log.
  package static func wrapping(_ error: any Error) -> any Error {
    guard let refusal = error as? ModelError, refusal.code == .clockExhausted else { return error }
    return LogError(code: .clockExhausted, message: refusal.message, cause: refusal)
  }

  /// The log in a file was opened for reading only.
  package static func openedReadOnly(_ path: String) -> LogError {
    LogError(code: .readOnly, message: "\(path) was opened read-only and cannot be written")
  }

  /// New events need more bytes than the quota of a log allows.
  package static func overQuota(bytes quota: UInt64, used: UInt64) -> LogError {
    LogError(
      code: .full,
      message: "the new events do not fit into the quota of bytes, which is \(quota); the log uses "
        + "\(used), and the events stay on the device",
      hint: "ask the operator of the hub for a larger quota")
  }

  /// A failed call of the operating system.
  ///
  /// - Parameter code: An errno.
  package static func refused(_ code: Int32, _ action: String) -> LogError {
    let isLong = code == ENAMETOOLONG
    return LogError(
      code: Code(errno: code), message: "\(action): \(String(cString: strerror(code)))",
      reason: isLong ? .longPath : nil,
      hint: isLong ? "use a path of at most 4,095 bytes, with names of at most 255" : nil)
  }
}

extension LogErrorCode {
  /// The kind of a failure of the operating system.
  package init(errno code: Int32) {
    self =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .full
      case EAGAIN, EBUSY: .busy
      case ENAMETOOLONG: .invalidValue
      case EACCES, EROFS, EPERM: .readOnly
      case ENOENT, ENOTDIR: .notFound
      default: .io
      }
  }
}
