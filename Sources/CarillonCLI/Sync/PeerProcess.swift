import Foundation
import Synchronization

/// A program, such as ssh, whose standard input and output carry a transport.
///
/// Its standard error is that of this process.
final class PeerProcess: Sendable {
  /// The descriptor of its standard output; its user must close it.
  let reading: Int32
  /// The descriptor of its standard input; its user must close it.
  let writing: Int32
  private let state: State
  /// The programs that still run; nil if this process is about to end and must not start another.
  private static let running = Mutex<[State]?>([])

  /// Starts a program, which is looked up on the PATH.
  ///
  /// - Parameter words: The program's name and arguments.
  /// - Throws: `unreachable` if it cannot be started.
  init(_ words: [String]) throws(CommandFailure) {
    let (input, output) = (try Self.makePipe(), try Self.makePipe())
    let leadsGroup = !Self.hasTerminal
    // Started under the lock, so that a signal at any time finds every program in the list.
    let result = Self.running.withLock { running -> Result<State, POSIXError> in
      guard running != nil else { return .failure(POSIXError(.ECANCELED)) }
      return Self.spawn(
        words, input: input.reading, output: output.writing, leadsGroup: leadsGroup
      ).map { identifier in
        let state = State(identifier: identifier, leadsGroup: leadsGroup)
        running?.append(state)
        return state
      }
    }
    Foundation.close(input.reading)
    Foundation.close(output.writing)
    switch result {
    case .success(let state):
      self.state = state
      (reading, writing) = (output.reading, input.writing)
    case .failure(let error):
      Foundation.close(input.writing)
      Foundation.close(output.reading)
      throw Self.refusal("\(words[0]) cannot be started", error.code.rawValue)
    }
  }

  /// Kills all programs that still run, and prevents further ones from being started.
  ///
  /// To be called just before this process ends.
  static func killAll() {
    for process in running.withLock({ $0.take() }) ?? [] { process.signal(SIGKILL) }
  }

  /// Waits at most `duration` for the program to end, even if the caller is cancelled.
  ///
  /// - Returns: The exit code, or 128 + the signal; nil if it still runs.
  func ending(within duration: Duration) async -> Int32? {
    let deadline = ContinuousClock.now + duration
    return await Task.detached { [self] in
      while true {
        if let ended = state.look() { return ended }
        guard ContinuousClock.now < deadline else { return nil }
        // A detached task is not cancelled, so this does not throw.
        try? await Task.sleep(for: .milliseconds(5))
      }
    }.value
  }

  /// Sends SIGTERM to the program.
  func terminate() {
    state.signal(SIGTERM)
  }

  /// Stops the program: waits for it to end, then sends SIGTERM, and finally kills it.
  ///
  /// - Parameter patience: How long to wait before SIGTERM, after the program's input has ended.
  func stop(patience: Duration) async {
    if await ending(within: patience) != nil { return }
    terminate()
    if await ending(within: .milliseconds(500)) != nil { return }
    state.signal(SIGKILL)
    _ = await ending(within: .seconds(5))
  }

  // MARK: -

  /// The state of a process: whether it still runs.
  private final class State: Sendable {
    private let identifier: pid_t
    /// Whether it leads a process group, which then gets the signals.
    private let leadsGroup: Bool
    /// The exit code, or 128 + the signal; nil while it runs.
    ///
    /// The lock is held during waits and signals, so that a signal never reaches another process
    /// with the same identifier.
    private let ending = Mutex<Int32?>(nil)

    init(identifier: pid_t, leadsGroup: Bool) {
      self.identifier = identifier
      self.leadsGroup = leadsGroup
    }

    func signal(_ number: Int32) {
      ending.withLock { ending in
        if ending == nil { _ = kill(leadsGroup ? -identifier : identifier, number) }
      }
    }

    /// Checks whether it has ended, and returns its exit code if so.
    func look() -> Int32? {
      let ended = ending.withLock { ending -> Int32? in
        var status: Int32 = 0
        guard ending == nil, waitpid(identifier, &status, WNOHANG) != 0 else { return ending }
        let signal = status & 0x7F
        ending = signal == 0 ? status >> 8 & 0xFF : 128 + signal
        return ending
      }
      if ended != nil { PeerProcess.running.withLock { $0?.removeAll { $0 === self } } }
      return ended
    }
  }

  private static func makePipe() throws(CommandFailure) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw refusal("a pipe cannot be created", errno) }
    // Neither end may be a standard stream, since these are replaced in the program.
    for index in ends.indices {
      let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, 3)
      Foundation.close(ends[index])
      guard moved >= 0 else { throw refusal("a pipe cannot be created", errno) }
      ends[index] = moved
    }
    return (ends[0], ends[1])
  }

  /// Whether there is a terminal on which the program may ask for a password.
  ///
  /// The program must then stay in this process's group, which also receives Ctrl-C.
  private static var hasTerminal: Bool {
    let terminal = Foundation.open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    Foundation.close(terminal)
    return true
  }

  /// Starts the program with the default handling of signals that this process ignores or blocks.
  private static func spawn(
    _ words: [String], input: Int32, output: Int32, leadsGroup: Bool
  ) -> Result<pid_t, POSIXError> {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var (byDefault, blocked) = (sigset_t(), sigset_t())
    sigemptyset(&byDefault)
    for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&byDefault, number) }
    sigemptyset(&blocked)
    posix_spawnattr_setsigdefault(&attributes, &byDefault)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    let group = leadsGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | group)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var identifier = pid_t()
    let code = posix_spawnp(&identifier, words[0], &actions, &attributes, &arguments, environ)
    guard code == 0 else { return .failure(POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL)) }
    return .success(identifier)
  }

  private static func refusal(_ text: String, _ code: Int32) -> CommandFailure {
    CommandFailure(
      status: .unreachable, code: "unreachable",
      message: "\(text): \(String(cString: strerror(code)))",
      hint: "install openssh-client, or name the command in CARILLON_SSH")
  }
}
