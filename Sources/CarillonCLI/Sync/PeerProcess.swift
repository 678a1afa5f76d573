import Carillon
import CarillonDocuments
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A running program that carries a transport over its standard input and output, such as ssh.
struct PeerProcess: Sendable {
  /// Reads what the program prints; the caller closes it.
  let reading: Int32
  /// Writes what the program reads; the caller closes it.
  let writing: Int32

  /// How a program ended.
  enum Ending: Sendable {
    /// By itself, with this exit code or with 128 plus the number of a signal.
    case status(Int32)
    /// It took too long, and this process stopped it.
    case stopped
  }

  /// The bytes of address space that starting a program takes, with the threads that wait for it.
  private static let leastByteCount = 16 << 20

  /// Starts a program from the PATH, calls `body`, and returns after the program has ended.
  ///
  /// If the task is cancelled, the program is asked to end.
  ///
  /// - Parameters:
  ///   - words: The program's name and its arguments.
  ///   - installing: What to do if the program cannot be started.
  ///   - errors: Receives its standard error; nil passes it to that of this process.
  ///   - body: Returns a result, and how long the program may take to end by itself.
  /// - Throws: `unreachable` if the program cannot be started, `io` if this process has too little
  ///   address space for it, and `CancellationError`.
  static func run<Result: Sendable>(
    _ words: [String], installing hint: String, errors: CommandOutput? = nil,
    _ body: (PeerProcess) async -> (result: Result, patience: Duration)
  ) async throws -> (result: Result, ending: Ending) {
    // The libraries wait for threads and memory that they do not get.
    guard Heap.hasAddressSpace(for: leastByteCount) else {
      throw StoreError(
        code: .io,
        message: "\(words[0]) cannot be started: this process has too little address space left "
          + "(ulimit -v)", reason: .addressSpace)
    }
    let (input, output) = try makePipes()
    let process = PeerProcess(reading: output.readEnd.rawValue, writing: input.writeEnd.rawValue)
    // A program with a terminal may ask for a password there. It stays in this process's group,
    // which gets Ctrl-C.
    let leadsGroup = !hasTerminal
    var options = PlatformOptions()
    if leadsGroup { options.processGroupID = 0 }
    options.teardownSequence = stopping(group: leadsGroup)
    let program: Executable = words[0].contains("/") ? .path(FilePath(words[0])) : .name(words[0])
    do {
      let start = try RunningPrograms.shared.start()
      defer { start.end() }
      let outcome = try await Subprocess.run(
        program, arguments: Arguments(Array(words.dropFirst())), platformOptions: options,
        input: .fileDescriptor(input.readEnd, closeAfterSpawningProcess: true),
        output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: true),
        error: .fileDescriptor(
          errors?.descriptor ?? .standardError, closeAfterSpawningProcess: false)
      ) { execution in
        start.succeed { try? execution.send(signal: .kill, toProcessGroup: leadsGroup) }
        defer { start.end() }
        let (result, patience) = await body(process)
        let isInTime = await execution.end(within: patience, then: stopping(group: leadsGroup))
        return (result, isInTime: isInTime)
      }
      let (result, isInTime) = outcome.closureResult
      guard isInTime else { return (result, .stopped) }
      return switch outcome.terminationStatus {
      case .exited(let code): (result, .status(code))
      case .signaled(let signal): (result, .status(128 + signal))
      }
    } catch let error as SubprocessError {
      try? input.writeEnd.close()
      try? output.readEnd.close()
      throw refusal("\(words[0]) cannot be started: \(error)", hint: hint)
    }
  }

  /// Calls `body` with a transport over the program's standard input and output.
  ///
  /// - Parameters:
  ///   - stallInterval: How long the peer may be silent.
  ///   - news: Receives the news of the peer; nil to ask for none.
  func withTransport<Result>(
    _ stallInterval: Duration, _ news: PeerNews?,
    _ body: (PipeTransport) async throws -> Result
  ) async throws -> Result {
    let transport =
      if let news {
        try PipeTransport(
          reading: reading, writing: writing, stallInterval: stallInterval,
          onNews: { news.arrive() })
      } else {
        try PipeTransport(reading: reading, writing: writing, stallInterval: stallInterval)
      }
    do {
      let result = try await body(transport)
      await transport.close()
      return result
    } catch {
      await transport.close()
      throw error
    }
  }

  // MARK: -

  /// The steps that end a program: ask it, then kill it.
  private static func stopping(group: Bool) -> [TeardownStep] {
    [.gracefulShutDown(toProcessGroup: group, allowedDurationToNextStep: .milliseconds(500))]
  }

  private typealias Pipe = (readEnd: FileDescriptor, writeEnd: FileDescriptor)

  private static func makePipes() throws -> (input: Pipe, output: Pipe) {
    do {
      let input = try FileDescriptor.pipe(options: .closeOnExec)
      do {
        return (input, try FileDescriptor.pipe(options: .closeOnExec))
      } catch {
        try? input.readEnd.close()
        try? input.writeEnd.close()
        throw error
      }
    } catch {
      throw refusal(
        "no pipe can be made: \(error)", hint: "allow more open files: ulimit -n 1024")
    }
  }

  /// Whether this process has a terminal.
  private static var hasTerminal: Bool {
    guard
      let terminal = try? FileDescriptor.open(
        "/dev/tty", .readWrite, options: .closeOnExec)
    else { return false }
    try? terminal.close()
    return true
  }

  private static func refusal(_ text: String, hint: String) -> CommandFailure {
    CommandFailure(status: .unreachable, code: "unreachable", message: text, hint: hint)
  }
}
