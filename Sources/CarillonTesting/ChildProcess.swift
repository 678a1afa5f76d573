package import Foundation
internal import Synchronization

/// A process that a test starts, the initiator of a process group of its own.
///
/// Foundation's `Process` is not used: on Linux it reads beyond the end of a buffer while more than
/// 1,300 files are open, as they are when many tests run at once, and then may end the whole run.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package struct Ending: Sendable {
    /// The exit code, or the signal's number.
    package let status: Int32
    /// Whether a signal ended it.
    package let wasSignalled: Bool
  }

  /// The system's number of the process, and of its group.
  package let identifier: Int32
  private let ending = Mutex<Ending?>(nil)
  private let ended: AsyncStream<Void>

  /// Starts a program; it inherits the standard streams, and no file that is closed on execution,
  /// as all are that the package opens.
  ///
  /// - Parameters:
  ///   - program: The executable.
  ///   - arguments: All but the program's own name.
  ///   - environment: All that the program sees of it.
  ///   - input: What it reads; by default what this process reads, and so with the other two.
  ///   - output: Where its answers go; emptied, or made.
  ///   - errors: Where the rest goes; emptied, or made.
  /// - Throws: `POSIXError`.
  package init(
    _ program: URL, _ arguments: [String], environment: [String: String], input: URL? = nil,
    output: URL? = nil, errors: URL? = nil
  ) throws {
    identifier = try Self.spawn(
      program.path, arguments, environment.map { "\($0)=\($1)" },
      [(0, input, O_RDONLY), (1, output, Self.writing), (2, errors, Self.writing)])
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    // A thread of its own, since those that run tests must not be held.
    Thread.detachNewThread { [self] in
      let ending = Self.waitForEnd(of: identifier)
      self.ending.withLock { $0 = ending }
      continuation.finish()
    }
  }

  /// Whether it still runs.
  package var isRunning: Bool { ending.withLock { $0 == nil } }

  /// Waits for its end.
  ///
  /// - Throws: `CancellationError`.
  package func end() async throws -> Ending {
    for await _ in ended {}
    guard let ending = ending.withLock({ $0 }) else { throw CancellationError() }
    return ending
  }

  // MARK: -

  private static let writing = O_WRONLY | O_CREAT | O_TRUNC

  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String],
    _ streams: [(number: Int32, file: URL?, flags: Int32)]
  ) throws -> Int32 {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #endif
    try check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try check(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    try check(posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)))
    for stream in streams {
      guard let path = stream.file?.path else { continue }
      try check(
        posix_spawn_file_actions_addopen(&actions, stream.number, path, stream.flags, 0o600))
    }
    var identifier: pid_t = 0
    try withPointers(to: [program] + arguments) { arguments in
      try withPointers(to: environment) { environment in
        try check(
          posix_spawn(&identifier, program, &actions, &attributes, arguments, environment))
      }
    }
    return identifier
  }

  /// Gives texts as C wants them: pointers, the last one nil.
  private static func withPointers(
    to texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Void
  ) rethrows {
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    try body(pointers + [nil])
  }

  private static func waitForEnd(of identifier: Int32) -> Ending {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
    let signal = status & 0x7F
    return Ending(status: signal == 0 ? status >> 8 & 0xFF : signal, wasSignalled: signal != 0)
  }

  private static func check(_ result: Int32) throws {
    guard result != 0 else { return }
    throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EINVAL)
  }
}
