internal import Foundation

/// The right to build a projection file, held by one process and one handle at a time.
///
/// An advisory lock on a file: the system releases it when its holder dies.
struct BuildLock: ~Copyable {
  private let descriptor: Int32

  /// How long a builder may stand still before those who wait for it give up.
  private static let patience = Duration.seconds(60)

  /// Takes the lock, or gives nil where another has it.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  static func take(_ file: URL) throws -> BuildLock? {
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "open \(file.path)") }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
      let lock = BuildLock(descriptor: descriptor)
      lock.noteHolder()
      return lock
    }
    let number = errno
    close(descriptor)
    guard number == EWOULDBLOCK else { throw ProjectionError(errno: number, "lock \(file.path)") }
    return nil
  }

  /// Takes the lock, waiting while another has it and goes on building.
  ///
  /// - Throws: As ``take(_:)``, `cancelled`, and `busy` where nothing moved for a minute.
  static func wait(_ files: ProjectionFiles) async throws -> BuildLock {
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
      guard clock.now - since < patience else {
        let holder = (try? String(contentsOf: files.lockFile, encoding: .utf8)) ?? ""
        throw ProjectionError(
          code: .busy,
          message: "\(files.lockFile.path): process \(holder.prefix(20)) holds it and stands still")
      }
    }
  }

  /// Writes into the file whose lock it is, for those who wait in vain.
  private borrowing func noteHolder() {
    let text = "\(getpid())"
    // Only a message lacks it where the disk is full.
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.utf8.count, 0) }
  }

  deinit {
    close(descriptor)
  }
}
