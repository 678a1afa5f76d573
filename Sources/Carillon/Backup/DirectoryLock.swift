import CarillonLog
import CarillonModel
import Foundation

/// The lock by which one task of one process writes in a directory.
struct DirectoryLock {
  private let path: String
  private let descriptor: Int32

  /// Takes the lock, and waits while another process holds it.
  ///
  /// - Throws: `busy` if the limit passes; `CancellationError`.
  init(_ path: String, within limit: Duration) async throws {
    self.path = path
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

  /// Whether the path still names the locked directory, which another process may have removed
  /// before it was locked.
  var isInPlace: Bool {
    var (locked, named) = (stat(), stat())
    return fstat(descriptor, &locked) == 0 && stat(path, &named) == 0
      && locked.st_dev == named.st_dev && locked.st_ino == named.st_ino
  }

  func release() { close(descriptor) }
}
