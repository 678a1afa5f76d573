internal import Foundation

/// The right to build a projection file, held by one process and one handle at a time.
///
/// An advisory lock on a file: the system releases it when its holder dies.
struct BuildLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock, or gives nil where another has it.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  static func take(_ file: URL) throws -> BuildLock? {
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "open \(file.path)") }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return BuildLock(descriptor: descriptor) }
    let number = errno
    close(descriptor)
    guard number == EWOULDBLOCK else { throw ProjectionError(errno: number, "lock \(file.path)") }
    return nil
  }

  /// Takes the lock, waiting while another has it.
  ///
  /// - Throws: As ``take(_:)``, and `cancelled`.
  static func wait(_ file: URL) async throws -> BuildLock {
    while true {
      if let lock = try take(file) { return lock }
      do {
        try await Task.sleep(for: .milliseconds(20))
      } catch {
        throw ProjectionError(
          code: .cancelled, message: "cancelled while another process was building", cause: error)
      }
    }
  }

  deinit {
    close(descriptor)
  }
}
