import Foundation
import Testing

/// Signals to a verb that a script runs.
@Suite(.timeLimit(.minutes(30))) struct ScriptSignalTests {
  /// bash ends a script only if the signal ended the command, whatever its exit code.
  @Test(
    "Ctrl-C in a verb ends the script that runs it",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash"), "bash is missing"))
  func script() async throws {
    let bench = try await Workbench.withStore()
    let child = try await bench.startShell(
      #"exec bash -c 'for i in 1 2; do "$CARILLON" log --follow; done; echo went on'"#)
    try await child.prints { $0.contains("device.described") }
    child.signalGroup(SIGINT)
    let answer = try await child.answer()
    #expect(answer.wasSignalled && answer.status == SIGINT, "\(answer)")
    #expect(!answer.output.contains("went on"), "\(answer)")
  }

  @Test("A program that a verb starts inherits that Dispatch writes nothing into the system log")
  func systemLog() async throws {
    let bench = try await Workbench.withStore()
    let child = try await bench.start(
      ["sync", "ssh://host/watch"],
      with: ["CARILLON_SSH": "/bin/sh -c 'echo \"$LIBDISPATCH_LOG\" >&2'"])
    #expect(try await child.answer().errors.contains("NO\n"))
  }
}
