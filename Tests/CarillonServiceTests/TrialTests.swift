#if Service
import CarillonTestSupport
import Foundation
import Testing

/// The trials of `tools/serve-trial`, in short.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TrialTests {
  @Test("Every answered write is in the log after SIGKILL under load, and none is there twice")
  func kills() async throws {
    let ended = try await trial("kills", times: 2)
    #expect(ended.status == 0 && ended.output.contains("2 kills"), "\(ended)")
  }

  @Test(
    "Requests made from the OpenAPI document find nothing",
    .enabled(if: Self.hasSchemathesis, "schemathesis is not installed"))
  func schemathesis() async throws {
    let ended = try await trial("schemathesis", times: 2)
    #expect(ended.status == 0, "\(ended)")
  }

  @Test("An open store of the example app takes at most 6 descriptors and 1 thread")
  func exampleApp() async throws {
    let bench = try await ServiceBench.make()
    let ended = try await StartedProgram(
      BuiltProgram.url("example-app"), ["measure", bench.path("people"), "30", "10"], in: bench
    ).end()
    let line = try #require(
      ended.output.firstMatch(
        of: /each of 10 open stores: .* KB, (\S+) descriptors, (\S+) threads/),
      "\(ended)")
    // The runtime has a few threads, and opens up to two files, whatever the number of stores.
    #expect(try #require(Double(line.output.1)) <= 6.2, "\(ended)")
    #expect(try #require(Double(line.output.2)) <= 4, "\(ended)")
  }

  @Test("The example app ends at SIGTERM as a service does, and refuses what it does not know")
  func exampleAppEnds() async throws {
    let bench = try await ServiceBench.make()
    try bench.write(#"{"secret":"phone"}"#, to: "people.json")
    let app = BuiltProgram.url("example-app")
    let program = try await StartedProgram(app, ["serve", bench.directory.path, "0"], in: bench)
    try await program.reports("listening")
    program.signal(SIGTERM)
    let ended = try await program.end()
    #expect(ended.status == 0 && !ended.wasSignalled, "\(ended)")
    let wrong = try await StartedProgram(app, ["measure", bench.path("x"), "abc"], in: bench).end()
    #expect(wrong.status == 1 && wrong.errors.contains("usage:"), "\(wrong)")
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let hasSchemathesis = FileManager.default.isExecutableFile(
    atPath: root.appending(path: ".build-tests/schemathesis/bin/schemathesis").path)

  /// Runs a trial on the built programs until it ends.
  private func trial(_ name: String, times: Int) async throws -> EndedProgram {
    let bench = try await ServiceBench.make()
    return try await StartedProgram(
      Self.root.appending(path: "tools/serve-trial"),
      [
        name, "--times", "\(times)", "--bin",
        BuiltProgram.url("carillon").deletingLastPathComponent().path,
      ], in: bench
    ).end()
  }
}
#endif
