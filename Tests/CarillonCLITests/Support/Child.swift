import Foundation

/// A process that was started; what it prints goes to files, so that no pipe can fill up.
final class Child: Sendable {
  private let process = Process()
  private let outputFile: URL
  private let errorFile: URL
  private let ended: AsyncStream<Void>

  /// Starts a program whose standard streams are files in a directory.
  init(
    _ program: URL, _ arguments: [String], input: String, environment: [String: String],
    files: URL
  ) throws {
    let name = UUID().uuidString
    let inputFile = files.appending(path: name + ".in")
    outputFile = files.appending(path: name + ".out")
    errorFile = files.appending(path: name + ".err")
    try Data(input.utf8).write(to: inputFile)
    for file in [outputFile, errorFile] { try Data().write(to: file) }
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    process.standardOutput = try FileHandle(forWritingTo: outputFile)
    process.standardError = try FileHandle(forWritingTo: errorFile)
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    process.terminationHandler = { _ in continuation.finish() }
    try process.run()
  }

  /// What it has printed so far.
  var output: String {
    get throws { String(decoding: try Data(contentsOf: outputFile), as: UTF8.self) }
  }

  /// Whether it still runs.
  var isRunning: Bool { process.isRunning }

  /// Sends a signal to the process alone.
  func signal(_ number: Int32) {
    kill(process.processIdentifier, number)
  }

  /// Sends SIGKILL to the process and all that it started, which are one process group.
  func killGroup() {
    kill(-process.processIdentifier, SIGKILL)
  }

  /// Waits until it has printed something that fits, or has ended.
  func prints(_ fits: (String) -> Bool) async throws {
    while isRunning, !fits(try output) {
      // Another process's file has nobody who could wake this one.
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Waits for its end.
  func answer() async throws -> Answer {
    for await _ in ended {}
    return Answer(
      status: process.terminationStatus, wasSignalled: process.terminationReason == .uncaughtSignal,
      output: try output,
      errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
  }
}
