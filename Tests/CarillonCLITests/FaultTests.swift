import CarillonTesting
import Foundation
import Testing

#if os(Linux)
  /// The campaigns of `tools/faults`, each in its short form.
  ///
  /// They run one after the other: each keeps both cores busy.
  @Suite(.serialized, .timeLimit(.minutes(30)))
  struct FaultTests {
    /// How many tries each campaign has here, and what must be allowed for it to run.
    static let campaigns = [
      ("kills", 6), ("failures", 10), ("power", 4), ("flips", 6), ("races", 4), ("stops", 2),
      ("full", 4),
    ]

    @Test("Whatever is broken below a store, no promise breaks with it", arguments: campaigns)
    func campaign(_ name: String, _ count: Int) async throws {
      let seed = 12
      let temporary = try TemporaryDirectory()
      let tool = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "tools/faults")
      // What a compiler and its linker need is found by the path of who runs the tests.
      let child = try Child(
        tool,
        [name, "--count", "\(count)", "--seed", "\(seed)", "--carillon", Executable.url.path],
        input: "",
        environment: [
          "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
          "TMPDIR": temporary.url.path,
        ], files: temporary.url)
      let answer = try await child.answer()
      let left = try FileManager.default.contentsOfDirectory(atPath: temporary.url.path)
        .filter { $0.hasPrefix("carillon-faults-") }
      #expect(left.isEmpty)
      if answer.status == Self.unavailable { return }
      let last = answer.output.split(separator: "\n").last.map(String.init)
      #expect(answer.status == 0, "\(answer)")
      #expect(last == "tried \(count): 0 lost, 0 crashed, 0 hung, 0 wrong", "\(answer)")
    }

    /// The exit code where this machine does not allow what the campaign needs, such as mounts.
    private static let unavailable: Int32 = 69
  }
#endif
