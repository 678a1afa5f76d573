import Carillon
import Foundation

/// Writes all bytes to a descriptor, also where the system takes them in parts.
///
/// - Returns: 0, or what `errno` says went wrong; then a part may be written.
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
  /// What the operating system refused.
  ///
  /// - Parameters:
  ///   - message: What could not be done; the reason is added.
  ///   - reason: As `errno` has it.
  ///   - hint: What to try next, where the reason does not tell it.
  static func system(_ message: String, _ reason: Int32, hint: String) -> CommandFailure {
    let code = StoreError.Code(errno: reason)
    return CommandFailure(
      store: StoreError(
        code: code, message: "\(message): \(String(cString: strerror(reason)))",
        hint: code == .io ? hint : nil))
  }
}
