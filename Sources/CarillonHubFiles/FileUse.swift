#if Service
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// The use of a hub in files by this process, which may exclude others.
///
/// It is a lock on the directory of the logs: SQLite loses its locks on a file that is closed
/// elsewhere, and somebody could remove a file that is only for the lock, so that processes that
/// start later would not notice the earlier ones. The system releases it when the process ends.
final class FileUse: Sendable {
  private let path: String
  let use: HubUse
  /// Negative after the end.
  private let descriptor: Mutex<Int32>

  /// Begins the use.
  ///
  /// - Parameter path: A directory that exists.
  /// - Throws: `busy`, `readOnly`, `io`.
  init(_ path: String, _ use: HubUse) throws {
    (self.path, self.use) = (path, use)
    let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw LogError.refused(errno, "cannot open \(path)") }
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

  /// Calls `body` while no other process uses the hub, unless another process has done the same.
  ///
  /// - Parameter isDone: Whether that has happened. It is asked again while this process waits: the
  ///   one that was first goes on using the hub.
  /// - Throws: `busy`, `io`; the errors of `body` and `isDone`, after which the use must end.
  func alone(unless isDone: () throws -> Bool, _ body: () throws -> Void) throws {
    guard use == .shared else { return try body() }
    if try change(to: .exclusive, unless: isDone) { try body() }
    try change(to: .shared)
  }

  // MARK: -

  /// Waits until the lock can be changed.
  ///
  /// - Returns: Whether it was changed. Otherwise `isDone` has returned true, and there is none.
  @discardableResult
  private func change(to use: HubUse, unless isDone: () throws -> Bool = { false }) throws -> Bool {
    let descriptor = descriptor.withLock { $0 }
    // Two processes that convert their locks would wait for each other.
    flock(descriptor, LOCK_UN)
    let end = ContinuousClock.now + HubUse.patience
    while flock(descriptor, (use == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else {
        throw LogError.refused(code, "cannot lock \(path)")
      }
      if try isDone() { return false }
      guard ContinuousClock.now < end else { throw use.refusal }
      usleep(20_000)
    }
    return true
  }
}
#endif
