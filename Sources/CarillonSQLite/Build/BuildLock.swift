internal import CarillonModel
internal import Foundation

/// The exclusive right to build a projection file, held by one handle in one process.
///
/// It is an advisory lock on a file. The system releases it when its holder ends.
struct BuildLock: ~Copyable {
  private let descriptor: Int32

  /// Acquires the lock, or returns nil if another handle holds it.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  static func take(_ file: URL) throws -> BuildLock? {
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "cannot open \(file.path)") }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return BuildLock(descriptor: descriptor) }
    let number = errno
    close(descriptor)
    guard number == EWOULDBLOCK else {
      throw ProjectionError(errno: number, "cannot lock \(file.path)")
    }
    return nil
  }

  /// Acquires the lock, waiting as long as another handle holds it and its build makes progress.
  ///
  /// - Parameters:
  ///   - files: The files of the directory.
  ///   - limit: The longest time without progress.
  /// - Throws: The errors of ``take(_:)``, `cancelled`, and `busy` at the limit.
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
          code: .busy, message: "\(path): another process holds it", reason: .heldFile(path: path))
      }
    }
  }

  deinit {
    // A child process that is just being started shares the descriptor, so closing alone would
    // leave it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
