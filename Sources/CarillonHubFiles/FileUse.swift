#if Service
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// The use of a hub in files by this process, which may exclude others.
///
/// It is a lock on a file of its own, since SQLite loses its locks on a file that is closed
/// elsewhere. The system releases it when the process ends.
final class FileUse: Sendable {
  private let path: String
  private let use: HubUse
  /// Negative after the end.
  private let descriptor: Mutex<Int32>

  /// Begins the use.
  ///
  /// - Throws: `busy`, `readOnly`, `io`.
  init(_ path: String, _ use: HubUse) throws(LogError) {
    (self.path, self.use) = (path, use)
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard opened >= 0 else { throw .refused(errno, "cannot open \(path)") }
    descriptor = Mutex(opened)
    try change(to: use)
  }

  deinit { end() }

  func end() {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      // A child process that is just being started shares the descriptor.
      flock(descriptor, LOCK_UN)
      close(descriptor)
      descriptor = -1
    }
  }

  /// Calls `body` while no other process uses the hub.
  ///
  /// - Throws: `busy`, `io`; the errors of `body`, after which the use must end.
  func alone(_ body: () throws -> Void) throws {
    if use == .shared { try change(to: .exclusive) }
    try body()
    if use == .shared { try change(to: .shared) }
  }

  // MARK: -

  private func change(to use: HubUse) throws(LogError) {
    let descriptor = descriptor.withLock { $0 }
    // Two processes that convert their locks would wait for each other.
    flock(descriptor, LOCK_UN)
    let end = ContinuousClock.now + HubUse.patience
    while flock(descriptor, (use == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else {
        throw .refused(code, "cannot lock \(path)")
      }
      guard ContinuousClock.now < end else { throw use.refusal }
      usleep(20_000)
    }
  }
}
#endif
