import Foundation

/// A standard stream that a program writes to.
package enum StandardStream: Int32 {
  case output = 1
  case errors = 2

  /// Writes the complete text before it returns.
  ///
  /// - Returns: 0, or the `errno` of a failure, after which a part may have been written.
  @discardableResult
  package func write(_ text: String) -> Int32 { Self.write(text, to: rawValue) }

  /// Writes the complete text to any file descriptor before it returns, even if the system accepts
  /// it in parts only.
  ///
  /// - Returns: 0, or the `errno` of a failure, after which a part may have been written.
  package static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count == 0 {
          return EIO
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// Ensures that none of the standard streams is closed.
  ///
  /// The next file to be opened, such as a log's, would otherwise take the free descriptor, and
  /// text meant for people would be written into it. The placeholder can be neither read nor
  /// written, so that an attempt to use the missing stream fails.
  package static func hold() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(stream, F_GETFD) == -1 {
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
