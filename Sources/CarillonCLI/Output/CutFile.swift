import CarillonDocuments
import Foundation

/// The end of a process when another program cuts a file that it has mapped.
///
/// The system then sends SIGBUS at the next read beyond the new end, as it does for a disk that
/// cannot be read, or that is full when a mapped part without space on it is written. No check
/// before the access can prevent the first two. Nothing was written in the meantime.
enum CutFile {
  private static let failure = CommandFailure(
    status: .inputOutput, code: "io",
    message: "a file of the store became shorter, or its disk is full or could not be read",
    hint: "check the disk and its space, and who writes to the store's files; then check the "
      + "store: carillon verify")

  /// What the signal handler writes; set before the handler is installed, and never changed.
  nonisolated(unsafe) private static var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

  /// Lets the process end with a message and the documented exit code.
  static func endClearly(isJSON: Bool) {
    let bytes = Array((isJSON ? failure.json.line : failure.text).utf8)
    let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = kept.initialize(from: bytes)
    text = UnsafeBufferPointer(kept)
    // The handler calls only what POSIX allows in one.
    signal(SIGBUS) { _ in
      _ = write(STDERR_FILENO, CutFile.text.baseAddress, CutFile.text.count)
      _exit(ExitStatus.inputOutput.rawValue)
    }
  }
}
