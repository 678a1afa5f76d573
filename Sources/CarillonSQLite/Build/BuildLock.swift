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
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "open \(file.path)") }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return BuildLock(descriptor: descriptor) }
    let number = errno
    close(descriptor)
    guard number == EWOULDBLOCK else { throw ProjectionError(errno: number, "lock \(file.path)") }
    return nil
  }

  /// Takes the lock, waiting while another has it and goes on building.
  ///
  /// - Parameters:
  ///   - files: Of the directory.
  ///   - limit: How long the builder may stand still.
  /// - Throws: As ``take(_:)``, `cancelled`, and `busy` at the limit.
  static func wait(_ files: ProjectionFiles, limit: Duration) async throws -> BuildLock {
    let clock = ContinuousClock()
    var (last, since) = (try files.stamps(), clock.now)
    while true {
      if let lock = try take(files.lockFile) { return lock }
      do {
        try await Task.sleep(for: .milliseconds(20))
      } catch {
        throw ProjectionError(
          code: .cancelled, message: "cancelled while another process was building", cause: error)
      }
      let stamps = try files.stamps()
      if stamps != last { (last, since) = (stamps, clock.now) }
      guard clock.now - since < limit else {
        let path = files.lockFile.path
        throw ProjectionError(
          code: .busy, message: "\(path): another process holds it", heldFile: path)
      }
    }
  }

  deinit {
    // A program that is just being started has the file too: closing alone would leave it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
