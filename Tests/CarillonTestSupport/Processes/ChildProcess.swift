package import Foundation
internal import Subprocess
internal import Synchronization

#if canImport(System)
internal import System
#else
internal import SystemPackage
#endif

/// A process that a test starts, in a process group of its own.
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
  private let ending: Task<Ending, any Error>
  private let hasEnded: Flag

  /// Starts a program, which inherits the standard streams and no other file.
  ///
  /// - Parameters:
  ///   - program: The executable.
  ///   - arguments: All but the program's own name.
  ///   - environment: The program's whole environment, besides what it needs under a sanitizer: the
  ///     values of `LD_PRELOAD` and `ASAN_OPTIONS` here.
  ///   - input: The file it reads; by default the standard input of this process.
  ///   - output: The file it writes, emptied or made; by default this process's standard output.
  ///   - errors: The same for standard error.
  /// - Throws: An error of the system if the program cannot be started or a file cannot be opened.
  package init(
    _ program: URL, _ arguments: [String], environment: [String: String], input: URL? = nil,
    output: URL? = nil, errors: URL? = nil
  ) async throws {
    var options = PlatformOptions()
    options.processGroupID = 0
    let input = try Self.open(input, .readOnly) ?? .standardInput
    let output = try Self.open(output, .writeOnly) ?? .standardOutput
    let errors = try Self.open(errors, .writeOnly) ?? .standardError
    let sanitizers = ProcessInfo.processInfo.environment.filter {
      ["LD_PRELOAD", "ASAN_OPTIONS"].contains($0.key)
    }
    let variables = Dictionary(
      uniqueKeysWithValues: environment.merging(sanitizers) { given, _ in given }
        .map { (Environment.Key(stringLiteral: $0), $1) })
    let (starts, start) = AsyncThrowingStream.makeStream(of: Int32.self)
    let hasEnded = Flag()
    // Not a child of the test's task: the process goes on if the test is cancelled.
    ending = Task.detached { [options] in
      defer { hasEnded.set() }
      do {
        let outcome = try await Subprocess.run(
          .path(FilePath(program.path)), arguments: Arguments(arguments),
          environment: .custom(variables), platformOptions: options,
          input: .fileDescriptor(input, closeAfterSpawningProcess: input != .standardInput),
          output: .fileDescriptor(output, closeAfterSpawningProcess: output != .standardOutput),
          error: .fileDescriptor(errors, closeAfterSpawningProcess: errors != .standardError)
        ) { execution in
          start.yield(execution.processIdentifier.value)
          start.finish()
        }
        return switch outcome.terminationStatus {
        case .exited(let code): Ending(status: code, wasSignalled: false)
        case .signaled(let signal): Ending(status: signal, wasSignalled: true)
        }
      } catch {
        start.finish(throwing: error)
        throw error
      }
    }
    self.hasEnded = hasEnded
    var identifier: Int32?
    for try await value in starts { identifier = value }
    guard let identifier else { throw CancellationError() }
    self.identifier = identifier
  }

  /// Whether it still runs.
  package var isRunning: Bool { !hasEnded.isSet }

  /// Waits for its end.
  package func end() async throws -> Ending {
    try await ending.value
  }

  // MARK: -

  private static func open(
    _ file: URL?, _ mode: FileDescriptor.AccessMode
  ) throws -> FileDescriptor? {
    try file.map {
      try FileDescriptor.open(
        FilePath($0.path), mode,
        options: mode == .readOnly ? .closeOnExec : [.closeOnExec, .create, .truncate],
        permissions: .ownerReadWrite)
    }
  }

  /// Set once.
  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }
}
