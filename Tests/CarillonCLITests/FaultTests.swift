import CarillonTestSupport
import Foundation
import Testing

#if os(Linux)
/// Runs a short form of each campaign of `tools/faults`.
///
/// They run one after another, since each keeps both cores busy.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct FaultTests {
  /// The number of tries of each campaign, and the permission that it needs.
  static let campaigns = [
    ("kills", 3), ("failures", 5), ("power", 2), ("flips", 3), ("races", 2), ("stops", 1),
    ("full", 2), ("crowd", 1), ("files", 8), ("limits", 5), ("clocks", 4),
    ("followers", 1), ("hostile", 8),
  ]

  @Test("A store keeps its guarantees under every fault", arguments: campaigns)
  func campaign(_ name: String, _ count: Int) async throws {
    let seed = 12
    let temporary = try TemporaryDirectory()
    let tool = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "tools/faults")
    // The compiler and its linker are found on the PATH of the test's user.
    let child = try await Child(
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
    if answer.status == Self.unavailable { try Test.cancel("\(name): \(answer.errors)") }
    let last = answer.output.split(separator: "\n").last.map(String.init)
    #expect(answer.status == 0, "\(answer)")
    #expect(last == "tried \(count): 0 lost, 0 diverged, 0 crashed, 0 hung, 0 wrong", "\(answer)")
  }

  /// The exit code if this machine does not allow what the campaign needs, such as mounts.
  private static let unavailable: Int32 = 69
}
#endif
