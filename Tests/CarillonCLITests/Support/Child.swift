import CarillonTestSupport
import Foundation

/// A child process; its output goes to files, so that no pipe can fill up.
final class Child: Sendable {
  private let process: ChildProcess
  private let outputFile: URL
  private let errorFile: URL

  /// Starts a program whose standard streams are files in a directory.
  ///
  /// - Parameters:
  ///   - terminal: A terminal for standard error in place of the file.
  ///   - outputTerminal: A terminal for standard output in place of the file.
  init(
    _ program: URL, _ arguments: [String], input: String, environment: [String: String],
    files: URL, terminal: PseudoTerminal? = nil, outputTerminal: PseudoTerminal? = nil
  ) async throws {
    let name = UUID().uuidString
    let inputFile = files.appending(path: name + ".in")
    outputFile = files.appending(path: name + ".out")
    errorFile = files.appending(path: name + ".err")
    try Data(input.utf8).write(to: inputFile)
    for file in [outputFile, errorFile] { try Data().write(to: file) }
    process = try await ChildProcess(
      program, arguments, environment: environment, input: inputFile,
      output: outputTerminal?.url ?? outputFile,
      errors: terminal?.url ?? errorFile)
  }

  /// Its standard output so far.
  var output: String {
    get throws { String(decoding: try Data(contentsOf: outputFile), as: UTF8.self) }
  }

  /// Its standard error so far.
  var errors: String {
    get throws { String(decoding: try Data(contentsOf: errorFile), as: UTF8.self) }
  }

  /// The system's number of the process.
  var identifier: Int32 { process.identifier }

  /// Whether it is still running.
  var isRunning: Bool { process.isRunning }

  /// Sends a signal to the process, but not to its children.
  func signal(_ number: Int32) {
    kill(identifier, number)
  }

  /// Sends SIGKILL to the process and its children, which are one process group.
  func killGroup() { signalGroup(SIGKILL) }

  /// Sends a signal to the process and its children, as a terminal does at Ctrl-C.
  func signalGroup(_ number: Int32) {
    kill(-identifier, number)
  }

  /// Whether it has a file in a directory open.
  func holdsFile(below directory: String) -> Bool {
    let (files, place) = (FileManager.default, "/proc/\(identifier)/fd")
    // A descriptor may be closed, and the process may end, at any time.
    let names = (try? files.contentsOfDirectory(atPath: place)) ?? []
    return names.contains { name in
      (try? files.destinationOfSymbolicLink(atPath: "\(place)/\(name)"))?
        .hasPrefix(directory + "/") ?? false
    }
  }

  /// Waits until its output satisfies a condition, or it has ended.
  func prints(_ fits: (String) -> Bool) async throws {
    while isRunning, !fits(try output) {
      // Nothing notifies this process of changes to the file.
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Waits until it has ended.
  func answer() async throws -> Answer {
    let ending = try await process.end()
    return Answer(
      status: ending.status, wasSignalled: ending.wasSignalled, output: try output,
      errors: try errors)
  }
}
