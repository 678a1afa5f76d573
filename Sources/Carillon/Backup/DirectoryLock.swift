import CarillonLog
import CarillonModel
import Foundation

/// The lock by which one task of one process writes in a directory.
struct DirectoryLock {
  private let descriptor: Int32

  /// Takes the lock, and waits while another process holds it.
  ///
  /// - Throws: `busy` if the limit passes; `CancellationError`.
  init(_ path: String, within limit: Duration) async throws {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LogError.refused(errno, "cannot open \(path)") }
    let start = ContinuousClock.now
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let reason = errno
      guard reason == EWOULDBLOCK || reason == EINTR else {
        release()
        throw LogError.refused(reason, "cannot lock \(path)")
      }
      guard ContinuousClock.now - start < limit else {
        release()
        throw LogError(code: .busy, message: "another process is backing up to \(path)")
      }
      do {
        try await Task.sleep(for: .milliseconds(20))
      } catch {
        release()
        throw error
      }
    }
  }

  func release() { close(descriptor) }
}
