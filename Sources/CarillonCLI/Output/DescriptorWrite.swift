import Carillon
import Foundation

/// Writes all bytes to a descriptor, even if the system accepts them in parts only.
///
/// - Returns: 0, or the `errno` of a failure, after which a part may have been written.
func writeWhole(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  var rest = bytes
  while !rest.isEmpty {
    let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
    if count > 0 {
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    } else if count == 0 {
      return EIO
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}

extension CommandFailure {
  /// Returns the failure for an error of the operating system.
  ///
  /// - Parameters:
  ///   - message: What could not be done; the reason is appended.
  ///   - reason: The value of `errno`.
  ///   - hint: What to try next if the reason has no hint of its own.
  static func system(_ message: String, _ reason: Int32, hint: String) -> CommandFailure {
    let code = StoreError.Code(errno: reason)
    return CommandFailure(
      store: StoreError(
        code: code, message: "\(message): \(String(cString: strerror(reason)))",
        hint: code == .io ? hint : nil))
  }
}
