import CarillonDocuments
import Foundation
import Testing

/// `carillon sync --watch`: keeps two replicas in sync.
@Suite(.timeLimit(.minutes(30)))
struct SyncWatchTests {
  private static func bench(before: String = "") async throws -> (Workbench, StandInSSH) {
    let bench = try await Workbench.withStore()
    let clone = try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    try #require(clone.status == 0, "\(clone)")
    return (bench, try StandInSSH(bench, before: before))
  }

  @Test("Two directories are kept in sync until Ctrl-C", arguments: [SIGINT, SIGTERM])
  func directories(signal: Int32) async throws {
    let (bench, _) = try await Self.bench()
    let child = try await bench.start(["sync", bench.path("phone"), bench.path("watch"), "--watch"])
    _ = try await bench.addHabit("Walk")
    try await child.prints { $0.contains("Sent 2 and received 0 events") }
    _ = try await bench.addHabit("Read", store: "watch")
    try await child.prints { $0.contains("Sent 0 and received 2 events") }
    child.signal(signal)
    let answer = try await child.answer()
    #expect(answer.wasSignalled && answer.status == signal, "\(answer)")
    #expect(answer.output.contains("sent 2 and received 2 events"), "\(answer)")
    #expect(answer.errors.isEmpty, "\(answer)")
    try await bench.expectSame("watch")
  }

  @Test("A peer behind a pipe is kept in sync over one connection, with lines of JSON")
  func remote() async throws {
    let (bench, ssh) = try await Self.bench(before: "echo connected >> \"$0.count\"")
    let child = try await ssh.start("watch", ["--watch", "--every", "1s", "--json"])
    _ = try await bench.addHabit("Walk")
    try await child.prints { $0.contains(#""eventsSent":2,"eventsReceived":0"#) }
    _ = try await bench.addHabit("Read", store: "watch")
    try await child.prints { $0.contains(#""eventsSent":0,"eventsReceived":2"#) }
    child.signal(SIGINT)
    let answer = try await child.answer()
    #expect(answer.status == SIGINT, "\(answer)")
    let lines = try answer.output.split(separator: "\n").map { try Document(json: String($0)) }
    #expect(lines.count == 3 && lines[0]["at"]?.text != nil, "\(answer)")
    #expect(lines.last?["total"]?["eventsSent"]?.number == 2, "\(answer)")
    #expect(lines.last?["total"]?["eventsReceived"]?.number == 2, "\(answer)")
    let count = try String(contentsOf: bench.url("stand-in-ssh.count"), encoding: .utf8)
    #expect(count == "connected\n")
  }

  @Test("An unreachable peer is reported once, and synced when it is back")
  func outOfReach() async throws {
    let (bench, ssh) = try await Self.bench(
      before: "[ -e \"$0.down\" ] && exit 255; echo $$ > \"$0.pid\"")
    try bench.write("", to: "stand-in-ssh.down")
    let child = try await ssh.start("watch", ["--watch", "--every", "1s"])
    while child.isRunning, try !child.errors.contains("trying again") {
      try await Task.sleep(for: .milliseconds(2))
    }
    _ = try await bench.addHabit("Walk")
    // It has tried again without a report when the next try succeeds.
    try FileManager.default.removeItem(at: bench.url("stand-in-ssh.down"))
    try await child.prints { $0.contains("Sent 2 and received 0 events") }
    let text = try String(contentsOf: bench.url("stand-in-ssh.pid"), encoding: .utf8)
    let peer = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    kill(peer, SIGKILL)
    _ = try await bench.addHabit("Read", store: "watch")
    try await child.prints { $0.contains("Sent 0 and received 2 events") }
    child.signal(SIGTERM)
    let answer = try await child.answer()
    #expect(answer.status == SIGTERM, "\(answer)")
    #expect(answer.errors.components(separatedBy: "trying again").count == 3, "\(answer)")
    #expect(answer.errors.components(separatedBy: "reachable again").count == 3, "\(answer)")
  }

  @Test("A permanent error ends the watch: another store, or a missing store")
  func lasting() async throws {
    let (bench, ssh) = try await Self.bench()
    try await bench.make("other")
    for (peer, status) in [("other", Int32(65)), ("nowhere", 66)] {
      for child in [
        try await ssh.start(peer, ["--watch"]),
        try await bench.start(["sync", bench.path(peer), "--watch"]),
      ] {
        let answer = try await child.answer()
        #expect(answer.status == status && answer.output.isEmpty, "\(answer)")
      }
    }
  }
}
