package import CarillonLog
import CarillonModel
import Foundation

/// The lock by which one task of one process writes in a directory.
package struct DirectoryLock: Sendable {
  private let path: String
  private let descriptor: Int32

  /// Creates a directory if it is missing, and takes its lock.
  ///
  /// - Returns: The lock, and the directories that were created.
  /// - Throws: As ``init(_:within:_:)``; `readOnly`, `full`, `io`; `invalidValue` if the path is
  ///   too long.
  package static func making(
    _ path: String, within limit: Duration, _ work: String
  ) async throws -> (lock: DirectoryLock, made: MadeDirectories) {
    let start = ContinuousClock.now
    repeat {
      var made = MadeDirectories()
      try made.make(path)
      try made.sync()
      do {
        let lock = try await DirectoryLock(path, within: limit, work)
        if lock.isInPlace { return (lock, made) }
        lock.release()
      } catch let error as LogError where error.code == .notFound {
        // Another process has removed it.
      }
    } while ContinuousClock.now - start < max(limit, .seconds(1))
    throw LogError(code: .busy, message: "other processes keep removing \(path)")
  }

  /// Takes the lock, and waits while another process holds it.
  ///
  /// - Parameter work: What the other process does, such as `backing up to`, for the error.
  /// - Throws: `busy` if the limit passes; `notFound`; `CancellationError`.
  init(_ path: String, within limit: Duration, _ work: String) async throws {
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
        throw LogError(code: .busy, message: "another process is \(work) \(path)")
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

  package func release() { close(descriptor) }
}
