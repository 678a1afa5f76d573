import Foundation
import Testing

/// `carillon sync --stdio`: a responder on standard input and output.
@Suite(.timeLimit(.minutes(30)))
struct StdioTests {
  private func answer(_ input: String, _ flags: String...) async throws -> Answer {
    let bench = try await Workbench.withStore()
    return try await bench.start(
      ["sync", "--stdio", bench.path("phone")] + flags, input: input
    ).answer()
  }

  private static let greeting = "carillon-sync 1\n"

  @Test(
    "A responder ends when its input ends",
    arguments: ["", Self.greeting, "noise\n" + Self.greeting])
  func ends(input: String) async throws {
    let answer = try await answer(input)
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer)")
    let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines[1...] == ["carillon-sync 1", ""], "\(answer)")
    #expect(lines[0].hasPrefix("carillon-store ") && lines[0].utf8.count == 51, "\(answer)")
  }

  @Test(
    "Bytes that are not of the protocol end it with a reason",
    arguments: [
      ("GET / HTTP/1.1\r\n", Int32(76), #"it printed "GET / HTTP/1.1" and ended"#),
      (Self.greeting + "\0\0", 69, "after 0 bytes of its length"),
      (Self.greeting + "\0\0\0\u{9}abc", 69, "after 3 bytes of 9 bytes"),
      (Self.greeting + "\0\u{1}\0\0", 76, "a message of 65536 bytes; the limit is 60000"),
    ])
  func broken(input: String, status: Int32, expected: String) async throws {
    let answer = try await answer(input)
    #expect(answer.status == status && answer.errors.contains(expected), "\(answer)")
    let json = try await self.answer(input, "--json")
    #expect(json.status == status && json.errors.hasPrefix(#"{"error":{"#), "\(json)")
  }

  @Test("A malformed message is refused, and the next one is answered")
  func malformed() async throws {
    let answer = try await answer(Self.greeting + "\0\0\0\u{2}\u{1F}\u{1F}\0\0\0\u{1}x")
    #expect(answer.status == 0, "\(answer)")
    let frames = answer.output.utf8.dropFirst(52 + Self.greeting.utf8.count)
    #expect(frames.count > 8 && answer.errors.isEmpty, "\(answer)")
  }

  @Test("An initiator that sends nothing is given up after the stall timeout")
  func stallInterval() async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.startShell(
      """
      mkfifo "$CARILLON_STORE.in"
      "$CARILLON" sync --stdio "$CARILLON_STORE" --stall-timeout 1s <> "$CARILLON_STORE.in"
      echo $?
      """
    ).answer()
    #expect(answer.output.hasSuffix(Self.greeting + "69\n"), "\(answer)")
  }

  @Test("An initiator that does not read does not end the responder by a signal")
  func brokenPipe() async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.startShell(
      """
      { "$CARILLON" sync --stdio "$CARILLON_STORE" 2>"$CARILLON_STORE.err"
        echo $? > "$CARILLON_STORE.status"; } < /dev/null | true
      while ! [ -s "$CARILLON_STORE.status" ]; do sleep 0.01; done
      cat "$CARILLON_STORE.status"
      """
    ).answer()
    #expect(answer.output == "0\n", "\(answer)")
  }

  @Test("Conflicting flags are refused")
  func usage() async throws {
    let bench = try await Workbench.withStore()
    for arguments in [
      ["sync"], ["sync", "a", "b", "c"], ["sync", "--stdio", "a", "b"],
      ["sync", "--stdio", "a", "--watch"], ["sync", "a", "--every", "5s"],
      ["sync", "ssh://host/a", "b"], ["sync", "ftp://host/a"], ["sync", "http://host/a"],
      ["sync", "https://host/#invite=x"],
    ] {
      let answer = try await bench.start(arguments).answer()
      #expect(answer.status == 64 && answer.errors.contains("hint: "), "\(arguments) \(answer)")
    }
    for arguments in [["--every", "1m"], ["--every", "0s"], ["--stall-timeout", "2h"]] {
      let answer = try await bench.start(["sync", "a", "--watch"] + arguments).answer()
      #expect(answer.status == 64, "\(arguments) \(answer)")
    }
  }
}
