import CarillonDocuments
import Foundation
import Testing

@testable import CarillonCLI

/// `carillon sync ssh://...`, between processes through pipes.
@Suite(.timeLimit(.minutes(30)))
struct RemoteSyncTests {
  private static func bench(before: String = "") async throws -> (Workbench, StandInSSH) {
    let bench = try await Workbench.withStore()
    let clone = try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica",
      "watch")
    try #require(clone.status == 0, "\(clone)")
    return (bench, try StandInSSH(bench, before: before))
  }

  @Test("New events of both sides are exchanged through a pipe as within a process")
  func sync() async throws {
    let (bench, ssh) = try await Self.bench()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    _ = try await bench.addHabit("Read", "--at", "20:00", store: "watch")
    let report = try await ssh.sync("watch", "--json").document()
    #expect(report["method"]?.text == "vector")
    #expect(report["messages"]?.number == 4 && report["roundTrips"]?.number == 2)
    #expect(try #require(report["eventsSent"]?.number) > 0)
    #expect(try #require(report["eventsReceived"]?.number) > 0)
    try await bench.expectSame("watch")
    let again = try await ssh.sync("watch")
    #expect(again.status == 0 && again.output == "Both have the same events.\n", "\(again)")
  }

  @Test("Output of a login shell before the first line is skipped")
  func noise() async throws {
    let (bench, ssh) = try await Self.bench(before: "echo Welcome; echo; printf 'no line end'")
    _ = try await bench.addHabit("Walk")
    #expect(try await ssh.sync("watch").status == 0)
    try await bench.expectSame("watch")
  }

  @Test(
    "A peer that does not speak carillon-sync is reported with its output",
    arguments: [
      ("yes please", #"it printed "please" and more than 65536 bytes"#),
      ("echo Last login today; exit 0", #"it printed "Last login today" and ended"#),
      (
        "echo carillon-sync 2; exit 0",
        "uses version 2 of the pipe protocol; this one uses version 1"
      ),
      ("exec cat", "only echoes what it receives"),
      (#"printf 'carillon-sync 1\n\377\377\377\377'; sleep 9"#, "4294967295 bytes; the limit"),
      (#"printf 'carillon-sync 1\n\0\0\0\0'; sleep 9"#, "a frame without a message"),
    ])
  func strangers(script: String, expected: String) async throws {
    let (_, ssh) = try await Self.bench(before: script)
    let answer = try await ssh.sync("watch")
    #expect(answer.status == 76 && answer.errors.contains(expected), "\(answer)")
    #expect(answer.errors.contains("\nhint: "), "\(answer)")
  }

  @Test(
    "An unreachable peer exits with 69 and the reason",
    arguments: [
      ("exit 255", "cannot connect to host"), ("exit 127", "was not found on host"),
      ("exit 3", "ended with exit code 3"), ("kill -9 $$", "ended with exit code 137"),
      (#"printf 'carillon-sync 1\n\0\0\0\011abc'; exit 0"#, "after 3 bytes of 9 bytes"),
      ("exit 0", "the transport ended before the sync did"),
    ])
  func unreachable(script: String, expected: String) async throws {
    let (_, ssh) = try await Self.bench(before: script)
    let answer = try await ssh.sync("watch")
    #expect(answer.status == 69 && answer.errors.contains(expected), "\(answer)")
  }

  @Test("A missing ssh command exits with 69")
  func noCommand() async throws {
    let (bench, _) = try await Self.bench()
    let answer = try await bench.start(
      ["sync", "ssh://host/store"], with: ["CARILLON_SSH": ShellWord.quoted(bench.path("none"))]
    ).answer()
    #expect(answer.status == 69 && answer.errors.contains("CARILLON_SSH"), "\(answer)")
  }

  @Test("A silent peer is given up after the stall timeout, and stopped")
  func stallInterval() async throws {
    let (bench, ssh) = try await Self.bench(
      before: "echo $$ > \"$0.pid\"; echo Hello; exec sleep 1000")
    // Long enough for the script to start on a busy machine.
    let answer = try await ssh.sync("watch", "--stall-timeout", "5s")
    #expect(answer.status == 69, "\(answer)")
    #expect(answer.errors.contains("silent for 5 seconds"), "\(answer)")
    #expect(try !Self.isAlive(bench))
  }

  /// Goal: neither the command nor its child outlives the sync, however slow the computer is.
  ///
  /// Method: both keep a named pipe open, and ignore signals to end. The pipe is open from the
  /// command's first write until both processes have ended.
  @Test(
    "Neither the first nor a second Ctrl-C leaves a child behind",
    arguments: [[SIGINT], [SIGTERM], [SIGINT, SIGTERM]])
  func interrupted(signals: [Int32]) async throws {
    let (bench, ssh) = try await Self.bench(
      before: "trap '' TERM INT; exec 9>\"$0.held\"; echo begun >&9; sleep 9999; sleep 9999")
    try #require(mkfifo(bench.path("stand-in-ssh.held"), 0o600) == 0)
    let held = open(bench.path("stand-in-ssh.held"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(held) }
    let child = try await ssh.start("watch")
    try await Self.wait(for: held, toTell: "begun\n")
    for signal in signals { child.signal(signal) }
    let answer = try await child.answer()
    #expect(answer.wasSignalled && signals.contains(answer.status), "\(answer)")
    try await Self.wait(for: held, toTell: "")
  }

  /// Waits for a text from a pipe, or for the end of the pipe if the text is empty.
  private static func wait(for pipe: Int32, toTell text: String) async throws {
    var buffer = [UInt8](repeating: 0, count: 64)
    var expected: [UInt8] = []
    while true {
      let count = read(pipe, &buffer, buffer.count)
      expected += buffer.prefix(max(count, 0))
      // Before a process opens it, the pipe looks as if it had ended.
      if expected == Array(text.utf8), count >= 0 { return }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private static func isAlive(_ bench: Workbench) throws -> Bool {
    let text = try String(contentsOf: bench.url("stand-in-ssh.pid"), encoding: .utf8)
    let identifier = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    return kill(identifier, 0) == 0
  }

  @Test("A refusal of the peer has the same exit code as that of a directory")
  func refusals() async throws {
    let (bench, ssh) = try await Self.bench()
    let missing = try await ssh.sync("nowhere", "--json")
    #expect(missing.status == 66 && missing.errors.contains(#""code":"notFound""#), "\(missing)")
    try await bench.make("other")
    let other = try await ssh.sync("other")
    #expect(other.status == 65 && other.errors.contains("join-store"), "\(other)")
  }

  @Test("Any path reaches the peer unchanged")
  func paths() async throws {
    let (bench, ssh) = try await Self.bench(before: "cd \"$HOME\"")
    for name in ["it's $(touch gone)", "-dash", "a\\b\"c", "new\nline", "日本"] {
      try FileManager.default.moveItem(at: bench.url("watch"), to: bench.url(name))
      _ = try await bench.addHabit("Walk", "--again")
      let escaped = try #require(
        name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
      for peer in [try bench.address(of: name), "ssh://host/~/\(escaped)"] {
        let answer = try await bench.start(["sync", peer], with: ssh.variables).answer()
        #expect(answer.status == 0, "\(name): \(answer)")
      }
      try await bench.expectSame(name)
      try FileManager.default.moveItem(at: bench.url(name), to: bench.url("watch"))
    }
    #expect(!FileManager.default.fileExists(atPath: bench.path("gone")))
  }

  @Test("A copied directory behind a pipe is reported as a fork, and gets a new ReplicaID")
  func fork() async throws {
    let (bench, ssh) = try await Self.bench()
    try bench.copy("phone", to: "saved")
    _ = try await bench.addHabit("Walk")
    #expect(try await ssh.sync("watch").status == 0)
    // The directory is restored from the copy and written to: one replica with two histories.
    let marker = bench.path("phone/log/data.mdb")
    try FileManager.default.removeItem(atPath: marker)
    try FileManager.default.copyItem(atPath: bench.path("saved/log/data.mdb"), toPath: marker)
    _ = try await bench.addHabit("Read")
    let report = try await ssh.sync("watch", "--json").document()
    #expect(report["method"]?.text == "fork", "\(report)")
    #expect(report["forks"]?.list.count == 1 && report["newIdentities"]?.list.count == 1)
    try await bench.expectSame("watch")
  }
}
